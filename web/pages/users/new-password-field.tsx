import { useQuery } from '@tanstack/react-query';
import { Dices } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { TextField } from '../../parts/field.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { generatePassword } from './generate-password.ts';

/** Returns the minimum number of characters of a new password; null until it is known. */
export function usePasswordMin(): number | null {
  const { rest } = useService();
  return useQuery(queries.settings(rest)).data?.auth.password_length_min ?? null;
}

/** A password for another user: typed, or generated and then shown, so that it can be handed over. */
export function NewPasswordField({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string;
  onChange: (value: string) => void;
}) {
  const min = usePasswordMin();
  const [isShown, setIsShown] = useState(false);
  const length = min === null ? '' : `At least ${min} characters. `;
  return (
    <>
      <TextField
        label="Password"
        type={isShown ? 'text' : 'password'}
        isMono={isShown}
        isRequired
        autoComplete="new-password"
        value={value}
        error={error}
        hint={`${length}Hand it over in a safe way; the user can change it on the account page.`}
        onChange={onChange}
      />
      <div className="row">
        <Button
          size="small"
          icon={<Dices aria-hidden="true" />}
          onPress={() => {
            onChange(generatePassword((bytes) => crypto.getRandomValues(bytes)));
            setIsShown(true);
          }}
        >
          Generate password
        </Button>
        <Button size="small" isPressed={isShown} onPress={() => setIsShown(!isShown)}>
          Show password
        </Button>
        {value !== '' && (
          <CopyButton text={value} label="Copy the password">
            Copy password
          </CopyButton>
        )}
      </div>
    </>
  );
}
