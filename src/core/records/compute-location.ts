/** A compute location of the catalog (interface.md, "Compute location"). Times are milliseconds since the epoch. */
export interface ComputeLocationRecord {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
