/** A secret: the text itself, or the file that contains it. Null: none. */
export type SecretSource = { readonly text: string } | { readonly file: string } | null;

/**
 * Returns the source of the secret `name`, which has the keys `name` and `name_file`. Both together are an error, which
 * is added to `lines` (docs/contract/configuration.md#secrets).
 */
export function secretSource<const Name extends string>(
  name: Name,
  values: Readonly<Record<Name | `${Name}_file`, string>>,
  lines: string[],
): SecretSource {
  const fileKey = `${name}_file` as const;
  const text: string = values[name];
  const file: string = values[fileKey];
  if (text !== '' && file !== '') lines.push(`${name}: cannot be set together with ${fileKey}`);
  if (file !== '') return { file };
  return text === '' ? null : { text };
}
