import { InvalidArgumentError, type Command } from 'commander';
import type { BodyOf } from '../../client/rest-calls.ts';

/** Caps on concurrent tasks by name of owner or project. */
type Caps = Readonly<Record<string, number>>;

/** Options of the caps of owners and projects in a farm or queue (docs/policy.md#caps). */
export interface NamedCapsOptions {
  readonly ownerCaps?: Caps;
  readonly projectCaps?: Caps;
}

/** Parses `ana=20,*=50`; `none` removes all caps. */
function capsOf(text: string): Caps {
  if (text === 'none') return {};
  return Object.fromEntries(
    text.split(',').map((part) => {
      const at = part.lastIndexOf('=');
      const cap = Number(part.slice(at + 1));
      if (at < 0 || part.slice(at + 1).trim() === '' || !Number.isSafeInteger(cap) || cap < 0)
        throw new InvalidArgumentError('It must be a list such as ana=20,*=50, or none.');
      return [part.slice(0, at).trim(), cap];
    }),
  );
}

export const namedCapsOptions = (command: Command): Command =>
  command
    .option(
      '--owner-caps <caps>',
      'maximum numbers of concurrent tasks of owners: ana=20,*=50, where * is each other one and 0 means no limit; none for no caps',
      capsOf,
    )
    .option(
      '--project-caps <caps>',
      'maximum numbers of concurrent tasks of projects: film=20,*=50; none for no caps',
      capsOf,
    );

/** Returns the fields of the body that the options change. */
export const namedCapsChanges = ({
  ownerCaps,
  projectCaps,
}: NamedCapsOptions): Pick<Partial<BodyOf<'put', '/farms/{id}'>>, 'owner_caps' | 'project_caps'> => ({
  ...(ownerCaps !== undefined && { owner_caps: ownerCaps }),
  ...(projectCaps !== undefined && { project_caps: projectCaps }),
});
