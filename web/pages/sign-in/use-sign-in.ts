import { useState } from 'react';
import { Rest } from '../../../client/rest.ts';
import { signInError } from './sign-in-errors.ts';

/** Model of the form with name and password. */
export interface SignInModel {
  readonly username: string;
  readonly setUsername: (username: string) => void;
  readonly password: string;
  readonly setPassword: (password: string) => void;
  /** One sentence; empty for none. */
  readonly error: string;
  /** Time until the next attempt while the server limits requests; null otherwise. */
  readonly waitMs: number | null;
  readonly isBusy: boolean;
  readonly submit: () => void;
}

/** Signs in by name and password, and calls `onDone`. `first` is the error to begin with; empty for none. */
export function useSignIn(given: string, first: string, onDone: () => Promise<void> | void): SignInModel {
  const [username, setUsername] = useState(given);
  const [password, setPassword] = useState('');
  const [error, setError] = useState(first);
  const [isBusy, setIsBusy] = useState(false);
  const [waitMs, setWaitMs] = useState<number | null>(null);
  // This call does not wait for a sign-in: it is one.
  const [rest] = useState(() => new Rest({ base: location.origin, onWaiting: setWaitMs }));
  const missing = username.trim() === '' ? 'Enter your name.' : password === '' ? 'Enter your password.' : '';
  const signIn = async (): Promise<void> => {
    if (isBusy) return;
    setError(missing);
    if (missing !== '') return;
    setIsBusy(true);
    try {
      await rest.call('post', '/auth/login', { body: { username: username.trim(), password } });
      await onDone();
    } catch (reason) {
      setError(signInError(reason));
      setPassword('');
      setIsBusy(false);
    } finally {
      setWaitMs(null);
    }
  };
  return {
    username,
    setUsername,
    password,
    setPassword,
    error,
    waitMs,
    isBusy,
    submit: () => void signIn(),
  };
}
