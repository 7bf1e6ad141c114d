import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AttackReport } from '../attack.ts';

/** T11: no secret is in the data of the service, or in its logs. */

/** Returns every file below a folder. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path);
    return found.isDirectory() ? filesBelow(path) : found.isFile() ? [path] : [];
  });
}

/** Searches every file for every secret, as it is, in base64, and in hexadecimal. `tried` is the number of searches. */
export function findSecrets(files: readonly string[], secrets: ReadonlyMap<string, string>): AttackReport {
  const violations: string[] = [];
  let tried = 0;
  for (const file of files) {
    const content = readFileSync(file);
    for (const [name, secret] of secrets) {
      const bytes = Buffer.from(secret, 'utf8');
      for (const form of [secret, bytes.toString('base64'), bytes.toString('hex')]) {
        tried += 1;
        if (content.includes(form)) violations.push(`${file} holds ${name}`);
      }
    }
  }
  return { tried, violations };
}
