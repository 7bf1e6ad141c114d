/** What the bundler takes in beside modules. */
declare module '*.css';
declare module '*?raw' {
  const text: string;
  export default text;
}
