import { paletteColor, type Color, type Style } from './ansi.ts';

/** How a style is drawn: classes of log-view.css, and custom properties for colours that it has none for. */
export interface AnsiLook {
  readonly className: string;
  readonly properties: Readonly<Record<`--${string}`, string>>;
}

const looks = new WeakMap<Style, AnsiLook>();

/** The look of a style: the same object for the same style. */
export function lookOf(style: Style): AnsiLook {
  const known = looks.get(style);
  if (known !== undefined) return known;
  const look = made(style);
  looks.set(style, look);
  return look;
}

function made(style: Style): AnsiLook {
  const names: string[] = [];
  const properties: Record<`--${string}`, string> = {};
  const { foreground, background, isInverse } = style;
  const front = isInverse ? background : foreground;
  const back = isInverse ? foreground : background;
  if (back !== null) names.push(named('back', back, properties));
  else if (isInverse) names.push('ansi--inverse');
  if (front !== null) names.push(named('front', front, properties));
  // A colour is made readable on the page's own ground; on a ground that the log has chosen it stays as it is.
  if (back !== null || isInverse) names.push('ansi--on-ground');
  if (style.isBold) names.push('ansi--bold');
  if (style.isDim) names.push('ansi--dim');
  if (style.isItalic) names.push('ansi--italic');
  if (style.isUnderlined) names.push('ansi--underlined');
  if (style.isStruck) names.push('ansi--struck');
  return { className: names.join(' '), properties };
}

function named(place: 'front' | 'back', color: Color, properties: Record<`--${string}`, string>): string {
  if (typeof color === 'number' && color < 16) return `ansi--${place} ansi--${place}-${color}`;
  properties[`--ansi-${place}`] = typeof color === 'number' ? paletteColor(color) : color;
  return `ansi--${place}`;
}
