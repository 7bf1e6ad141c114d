import { Command } from 'commander';
import { addCommand, removeCommand } from './members-command.ts';
import { handOverCommand } from './hand-over-command.ts';
import { recoverCommand } from './recover-command.ts';
import { secretCommand } from './secret-command.ts';
import { statusCommand } from './status-command.ts';

/** `callsheet cluster` */
export const clusterCommand = (): Command =>
  new Command('cluster')
    .description('Set up and maintain a cluster of nodes.')
    .helpCommand(false)
    .addCommand(statusCommand())
    .addCommand(secretCommand())
    .addCommand(handOverCommand())
    .addCommand(addCommand())
    .addCommand(removeCommand())
    .addCommand(recoverCommand());
