/** An example template. Its text is loaded when it is chosen. */
export interface Example {
  readonly title: string;
  readonly summary: string;
  readonly load: () => Promise<string>;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'A sequence of frames',
    summary: 'One command per frame of a range',
    load: async () => (await import('../../../examples/frames/template.yaml?raw')).default,
  },
  {
    title: 'A single command',
    summary: 'One task that runs a script',
    load: async () => (await import('../../../examples/command/template.yaml?raw')).default,
  },
  {
    title: 'Fractal',
    summary: 'Frames and their animation, drawn by Node.js',
    load: async () => (await import('../../../examples/fractal/template.yaml?raw')).default,
  },
  {
    title: 'Turntable',
    summary: 'Lists, ranges and expressions',
    load: async () => (await import('../../../examples/turntable/template.yaml?raw')).default,
  },
];
