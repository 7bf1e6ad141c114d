import type { MouseEvent, ReactNode, Ref } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import './button.css';

export type ButtonLook = 'plain' | 'primary' | 'danger' | 'quiet';

interface Look {
  readonly look?: ButtonLook;
  readonly size?: 'normal' | 'small';
  readonly icon?: ReactNode;
}

export interface ButtonProps extends Look {
  readonly children: ReactNode;
  readonly onPress: (event: MouseEvent<HTMLButtonElement>) => void;
  /** Why the button is disabled, shown as its tooltip. It stays reachable by keyboard. */
  readonly disabledReason?: string;
  readonly isBusy?: boolean;
  readonly isPressed?: boolean;
  readonly title?: string;
  readonly popoverTarget?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

const lookOf = ({ look = 'plain', size = 'normal' }: Look): string =>
  classNames('button', look !== 'plain' && `button--${look}`, size === 'small' && 'button--small');

export function Button(props: ButtonProps) {
  const { children, icon, onPress, disabledReason = '', isBusy = false, isPressed, title, ref } = props;
  const isOff = disabledReason !== '' || isBusy;
  return (
    <button
      ref={ref}
      type="button"
      className={lookOf(props)}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      aria-pressed={isPressed}
      title={disabledReason === '' ? title : disabledReason}
      onClick={(event) => {
        if (!isOff) onPress(event);
      }}
    >
      {icon}
      {children}
    </button>
  );
}

/** Submits the form that contains it. */
export function SubmitButton(props: Omit<ButtonProps, 'onPress'>) {
  const { children, icon, disabledReason = '', isBusy = false, title } = props;
  const isOff = disabledReason !== '' || isBusy;
  return (
    <button
      type="submit"
      className={lookOf({ look: 'primary', ...props })}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={disabledReason === '' ? title : disabledReason}
      onClick={(event) => {
        if (isOff) event.preventDefault();
      }}
    >
      {icon}
      {children}
    </button>
  );
}

/** A button without text; `label` is its accessible name. */
export function IconButton({
  label,
  icon,
  ...rest
}: Omit<ButtonProps, 'children'> & { readonly label: string }) {
  const { onPress, disabledReason = '', isPressed, isBusy = false, ref } = rest;
  const isOff = disabledReason !== '' || isBusy;
  return (
    <button
      ref={ref}
      type="button"
      className={`${lookOf({ look: 'quiet', ...rest })} button--icon`}
      aria-label={label}
      aria-disabled={isOff || undefined}
      aria-pressed={isPressed}
      title={disabledReason === '' ? (rest.title ?? label) : `${label}: ${disabledReason}`}
      onClick={(event) => {
        if (!isOff) onPress(event);
      }}
    >
      {icon}
    </button>
  );
}

export function LinkButton({
  href,
  children,
  icon,
  ...look
}: Look & { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className={lookOf(look)}>
      {icon}
      {children}
    </Link>
  );
}
