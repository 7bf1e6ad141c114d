import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuthSource, Principal } from '../../../client/resources.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { useReadOnly } from '../../state/use-permissions.ts';
import { READ_ONLY_MODE } from '../../state/permissions.ts';
import { ROLE_TEXTS } from './role-texts.ts';

const SOURCES: Readonly<Record<AuthSource, string>> = {
  local: 'Name and password of this server',
  ldap: 'Name and password of the directory (LDAP)',
  oidc: 'SSO',
};

/** Who the user is, with the name that others see. */
export function ProfilePanel({ principal }: { principal: Principal }) {
  const { username, roles, auth_source: source, permissions } = principal;
  const [role] = roles;
  return (
    <Panel title="Profile">
      <KeyValues
        facts={[
          ['User name', username],
          ['Role', role === undefined ? null : `${role}: ${ROLE_TEXTS[role]}`],
          ['Signs in with', source === undefined ? null : SOURCES[source]],
        ]}
      />
      <DisplayName principal={principal} />
      <details>
        <summary>{`${permissions.length} permissions`}</summary>
        <p className="mono">{permissions.join(', ')}</p>
      </details>
    </Panel>
  );
}

function DisplayName({ principal }: { principal: Principal }) {
  const { rest } = useService();
  const client = useQueryClient();
  const [isReadOnly] = useReadOnly();
  const [name, setName] = useState(principal.display_name);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await rest.call('patch', '/auth/me', { body: { display_name: name.trim() } });
      toasts.done('Name saved');
      await client.invalidateQueries({ queryKey: ['principal'] });
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  const unchanged = name.trim() === principal.display_name ? 'The name has not changed.' : '';
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {error !== null && <Notice kind="danger" {...explained(error)} />}
      <TextField
        label="Display name"
        value={name}
        autoComplete="name"
        hint="Shown instead of the user name. Jobs keep the user name as their owner."
        onChange={setName}
      />
      <div>
        <SubmitButton isBusy={isBusy} disabledReason={isReadOnly ? READ_ONLY_MODE : unchanged}>
          Save name
        </SubmitButton>
      </div>
    </form>
  );
}
