/** Random secrets, and what is stored of them. */
export interface Secrets {
  /** Returns a new secret: 256 random bits in base64url, 43 characters. */
  create(): string;
  /** Returns the SHA-256 of a text in hexadecimal, 64 characters. */
  digest(text: string): string;
}
