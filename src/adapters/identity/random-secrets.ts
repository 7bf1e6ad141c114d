import { createHash, randomBytes } from 'node:crypto';
import type { Secrets } from '../../core/ports/secrets.ts';

const SECRET_BYTES = 32;

export const randomSecrets: Secrets = {
  create: () => randomBytes(SECRET_BYTES).toString('base64url'),
  digest: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
};
