/** The JSX function of React for the development server; see jsx-runtime.ts. */

import { Fragment as ReactFragment, jsxDEV as createForDevelopment } from 'react/jsx-dev-runtime';
import { shownProps } from './jsx-runtime.ts';

export const Fragment = ReactFragment;

export const jsxDEV: typeof createForDevelopment = (type, props, ...rest) =>
  createForDevelopment(type, shownProps(type, props), ...rest);
