import { numberText } from './number-text.ts';

const MIB_PER_GIB = 1_024;
const MIB_PER_TIB = MIB_PER_GIB * MIB_PER_GIB;

/** Formats a memory size in MiB: `512 MiB`, `62.8 GiB`, `1.5 TiB`; a dash for 0, which means unknown. */
export function mibText(mib: number): string {
  if (mib <= 0) return '–';
  if (mib < MIB_PER_GIB) return `${mib} MiB`;
  return mib < MIB_PER_TIB ? `${numberText(mib / MIB_PER_GIB)} GiB` : `${numberText(mib / MIB_PER_TIB)} TiB`;
}
