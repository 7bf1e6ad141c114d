import {
  anyActor,
  type ActorDefinition,
  type AnyDefinition,
  type Context,
} from '../../actors/kernel/actor.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';

/**
 * A step of a script. Script actors execute the steps in their messages, for tests of the kernel. The state of an actor
 * is one number, which the store holds under the actor's ID.
 */
export type Step =
  /** Sets the number, in memory and in the store. */
  | { readonly do: 'write'; readonly value: number }
  /** Sets the number in memory, and in the store at the end of the commit window. */
  | { readonly do: 'writeLater'; readonly value: number }
  /** Sets the number only in memory: lost when the actor is evicted. */
  | { readonly do: 'remember'; readonly value: number }
  /** Emits the number as an effect, under a label. */
  | { readonly do: 'say'; readonly label: string }
  | { readonly do: 'reply'; readonly answer: string }
  | { readonly do: 'send'; readonly to: string; readonly steps: readonly Step[] }
  | { readonly do: 'after'; readonly name: string; readonly ms: number; readonly steps: readonly Step[] }
  | { readonly do: 'cancelTimer'; readonly name: string }
  /** Throws the first `times` times that a step with this label runs. */
  | { readonly do: 'throw'; readonly label: string; readonly times: number }
  /** Sets whether the actor is evictable. */
  | { readonly do: 'end'; readonly isOver: boolean }
  /** Deletes the actor, also from the store. */
  | { readonly do: 'remove' }
  /** Emits the times in the context as an effect. */
  | { readonly do: 'sayTime' };

export interface ScriptMessage {
  readonly type: 'run';
  readonly steps: readonly Step[];
  readonly replyTo?: ReplyTo<string>;
}

export interface ScriptWorld {
  readonly messages: { readonly script: ScriptMessage };
  /** Null deletes the number. */
  readonly change: { readonly id: string; readonly value: number | null };
  readonly effect: string;
  readonly reader: ReadonlyMap<string, number>;
}

interface ScriptState {
  readonly id: string;
  value: number;
  isOver: boolean;
  isRemoved: boolean;
}

type ScriptContext = Context<ScriptWorld, 'script'>;

export interface ScriptActors {
  readonly definitions: readonly AnyDefinition<ScriptWorld>[];
  /** IDs in the order in which their state was loaded from the store. */
  readonly loads: string[];
  /** Scripts that actors run on activation. */
  readonly onStart: Map<string, readonly Step[]>;
  /** Ids whose load throws. */
  readonly broken: Set<string>;
}

/** Actors with this ID prefix have no state and never get one. */
export const MISSING_ACTOR = 'no-actor';

/** Creates script actors for one kernel. Tests inspect `loads` and fill `onStart` and `broken`. */
export function scriptActors(): ScriptActors {
  const thrown = new Map<string, number>();
  const loads: string[] = [];
  const onStart = new Map<string, readonly Step[]>();
  const broken = new Set<string>();

  const run = (
    state: ScriptState,
    steps: readonly Step[],
    to: ReplyTo<string> | undefined,
    context: ScriptContext,
  ): void => {
    for (const step of steps) {
      switch (step.do) {
        case 'write':
          state.value = step.value;
          context.change({ id: state.id, value: step.value });
          break;
        case 'writeLater':
          state.value = step.value;
          context.markDirty();
          break;
        case 'remember':
          state.value = step.value;
          break;
        case 'say':
          context.effect(`${state.id} ${step.label} ${state.value}`);
          break;
        case 'reply':
          if (to !== undefined) context.reply(to, step.answer);
          break;
        case 'send':
          context.send('script', step.to, {
            type: 'run',
            steps: step.steps,
            ...(to === undefined ? {} : { replyTo: to }),
          });
          break;
        case 'after':
          context.after(step.name, step.ms, { type: 'run', steps: step.steps });
          break;
        case 'cancelTimer':
          context.cancelTimer(step.name);
          break;
        case 'throw': {
          const times = thrown.get(step.label) ?? 0;
          thrown.set(step.label, times + 1);
          if (times < step.times) throw new Error(step.label);
          break;
        }
        case 'end':
          state.isOver = step.isOver;
          break;
        case 'remove':
          state.isRemoved = true;
          context.change({ id: state.id, value: null });
          break;
        case 'sayTime':
          context.effect(`now ${context.now}, listening since ${context.receivingSince}`);
          break;
      }
    }
  };

  const definition: ActorDefinition<ScriptWorld, 'script', ScriptState> = {
    kind: 'script',
    load: (id, reader) => {
      loads.push(id);
      if (broken.has(id)) throw new Error(`the store cannot be read for ${id}`);
      const value = reader.get(id);
      return value === undefined ? null : { id, value, isOver: false, isRemoved: false };
    },
    onActivated: (state, context) => {
      run(state, onStart.get(state.id) ?? [], undefined, context);
    },
    save: (state, context) => {
      if (!state.isRemoved) context.change({ id: state.id, value: state.value });
    },
    isEvictable: (state) => state.isOver,
    isDeleted: (state) => state.isRemoved,
    onMissing: (id, message, context) => {
      if (!id.startsWith(MISSING_ACTOR)) return { id, value: 0, isOver: false, isRemoved: false };
      if (message.replyTo !== undefined) context.reply(message.replyTo, 'there is no actor');
      return null;
    },
    handlers: {
      run: (state, message, context) => {
        run(state, message.steps, message.replyTo, context);
      },
    },
  };
  return { definitions: [anyActor(definition)], loads, onStart, broken };
}
