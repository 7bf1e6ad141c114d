/** Result of a number of bad inputs: the input of the table in docs/security.md. */
export interface AttackReport {
  readonly tried: number;
  /** One line for each input that the service handled wrongly. */
  readonly violations: readonly string[];
}
