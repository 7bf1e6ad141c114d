/** Request of `callsheet login` in the address of the page (docs/contract/authentication.md#sign-in-of-the-command-line). */
export interface CommandRequest {
  /** Port of the command on 127.0.0.1. */
  readonly port: number;
  readonly state: string;
  readonly challenge: string;
  /** Name of the computer, as the command says. */
  readonly host: string;
}

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const HOST = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the request of an address, or null if it is not one of the command. */
export function commandRequest(search: string): CommandRequest | null {
  const parameters = new URLSearchParams(search);
  const single = (name: string): string => {
    const [value = '', ...more] = parameters.getAll(name);
    return more.length === 0 ? value : '';
  };
  const [port, state, challenge, host] = ['port', 'state', 'challenge', 'host'].map(single);
  const number = /^[1-9][0-9]{0,4}$/.test(port ?? '') ? Number(port) : 0;
  const isValid =
    number >= 1024 && number <= 65_535 && SECRET.test(state ?? '') && SECRET.test(challenge ?? '');
  if (!isValid || !HOST.test(host ?? '')) return null;
  return { port: number, state: state ?? '', challenge: challenge ?? '', host: host ?? '' };
}

/** Returns the address at which the command waits. It is always on this computer. */
export function commandAddress(
  { port, state }: Pick<CommandRequest, 'port' | 'state'>,
  answer: { readonly code: string } | { readonly error: 'declined' },
): string {
  const parameters = new URLSearchParams({ state, ...answer });
  return `http://127.0.0.1:${port}/callback?${parameters.toString()}`;
}
