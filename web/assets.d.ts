/** Files other than modules that the bundler accepts. */
declare module '*.css';
declare module '*?raw' {
  const text: string;
  export default text;
}
