/** A file that is to be copied. */
export interface FoundFile {
  /** The way from the object that is copied; empty when the object is the file itself. */
  readonly below: readonly string[];
  readonly size: number;
  /** Another one after each change of the file. */
  readonly stamp: string;
  readonly isExecutable: boolean;
}

/** What an object consists of. */
export interface FoundTree {
  /** Without the object's own. A directory comes before what is in it. */
  readonly directories: readonly (readonly string[])[];
  readonly files: readonly FoundFile[];
}

/** A file or directory that a parameter names, on this host or in S3. Errors are StagingErrors that name the file. */
export interface StagingLocation {
  /** Null when nothing is there. */
  list(signal: AbortSignal): Promise<FoundTree | null>;
  /** The content, in order; fails at the end when the file was changed meanwhile. */
  read(file: FoundFile, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Refuses what does not fit. */
  makeRoom(bytes: number): Promise<void>;
  /** Makes a directory of the object, and the object's own for an empty way. */
  makeDirectory(below: readonly string[]): Promise<void>;
  /** Puts a file in place of what is there, whole or not at all. Gives its stamp. */
  write(file: FoundFile, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}
