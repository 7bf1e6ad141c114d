/** The entry of a pool thread: piscina calls what is named default here. */
export { prepareTemplate as default } from './pool-task.ts';
