import fc from 'fast-check';

/** Texts as in number fields: valid, nearly valid and invalid. */
export const numberText = fc.oneof(
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '',
    '+5',
    '-0',
    '007',
    '1.',
    '.5',
    '1e400',
    ' 1',
    '1_000',
    '0x1F',
    'NaN',
    'Infinity',
    '--1',
  ),
  fc.string({ maxLength: 5, unit: fc.constantFrom(...'0123456789+-.eE ') }),
);

/** Valid and invalid range expressions. */
export const rangeText = fc.oneof(
  fc.string({ maxLength: 12, size: 'max', unit: fc.constantFrom(...'0123-,: ') }),
  fc
    .array(
      fc
        .tuple(
          fc.integer({ min: -50, max: 200 }),
          fc.option(fc.integer({ min: -50, max: 200 })),
          fc.option(fc.integer({ min: -5, max: 9 })),
        )
        .map(
          ([first, last, step]) =>
            `${first}${last === null ? '' : `-${last}`}${last === null || step === null ? '' : `:${step}`}`,
        ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join(',')),
  fc.constantFrom(
    '9223372036854775807',
    '0-9223372036854775807',
    '9223372036854775808',
    '1-10:3, 20',
    '\t1 - 3 ',
  ),
);

/** Short texts with characters of all sizes. */
export const anyText = fc.oneof(
  fc.string({ maxLength: 8, unit: 'grapheme' }),
  fc.constantFrom('', 'a', '😀😀', 'yes', 'False', '"', '\\', ', ', '[1]'),
);
