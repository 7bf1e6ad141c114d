import type { NewWebhook } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import './webhooks.css';

/** Shows the signing key of a webhook, once. */
export function SecretDialog({ webhook, onClose }: { webhook: NewWebhook; onClose: () => void }) {
  const { name, secret, previous_secret_until: until } = webhook;
  return (
    <Dialog
      title={`Signing key of ${name}`}
      onClose={onClose}
      foot={
        <>
          {/* First, so that it has the focus: Enter must not close the dialog. */}
          <CopyButton text={secret} label="Copy the signing key">
            Copy key
          </CopyButton>
          <Button onPress={onClose}>Done</Button>
        </>
      }
    >
      <Notice
        kind="warning"
        title="Copy the key now"
        detail="It is not shown again. The receiver checks with it that a request is from this server."
      />
      <code className="webhooks__secret" role="group" aria-label="Signing key" tabIndex={0}>
        {secret}
      </code>
      {until !== null && <p className="muted">The previous key signs as well for 24 hours.</p>}
      <p className="muted">A chat service needs no key.</p>
    </Dialog>
  );
}
