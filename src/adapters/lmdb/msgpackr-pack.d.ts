/** The types of this entry point of msgpackr cannot be resolved by Node's rules. */
declare module 'msgpackr/pack' {
  export { Packr } from 'msgpackr';
}
