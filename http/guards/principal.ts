/** Who makes a request (interface.md, "Principal"). */
export interface Principal {
  readonly username: string;
}

/** Everyone, while authentication is off: an anonymous superuser (interface.md, "The switch"). */
export const ANONYMOUS: Principal = { username: 'anonymous' };
