/** The types that msgpackr gives for this entry of it cannot be resolved by Node's rules. */
declare module 'msgpackr/pack' {
  export { Packr } from 'msgpackr';
}
