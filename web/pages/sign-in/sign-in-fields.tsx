import { TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import type { SignInModel } from './use-sign-in.ts';

/** Fields of the sign-in by name and password, with its error. `isFixed`: the name cannot be changed. */
export function SignInFields({ model, isFixed }: { model: SignInModel; isFixed: boolean }) {
  const { username, setUsername, password, setPassword, error, waitMs } = model;
  return (
    <>
      {error !== '' && <Notice kind="danger" detail={error} />}
      {waitMs !== null && (
        <Notice kind="info" detail={`Too many requests. Trying again in ${Math.ceil(waitMs / 1_000)} s.`} />
      )}
      <TextField
        label="User name"
        value={username}
        autoComplete="username"
        isReadOnly={isFixed}
        isFirst={!isFixed}
        onChange={setUsername}
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        autoComplete="current-password"
        isFirst={isFixed}
        onChange={setPassword}
      />
    </>
  );
}
