/** Result of a number of bad inputs: the input of the table in docs/security.md. */
export interface AttackReport {
  readonly tried: number;
  /** One line for each input that the service handled wrongly. */
  readonly violations: readonly string[];
}

/** One row of the list of threats. */
export interface AttackRow {
  /** Name in docs/security.md. */
  readonly id: string;
  readonly title: string;
  /** Number of bad inputs of a full run. */
  readonly full: number;
  /** Makes `count` bad inputs. */
  readonly run: (count: number) => Promise<AttackResult>;
}

export interface AttackResult extends AttackReport {
  /** Measured figures, for the reader. */
  readonly figures?: Readonly<Record<string, number | string>>;
}
