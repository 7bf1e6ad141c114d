import { RotateCcw } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import { classNames } from '../../parts/class-names.ts';
import { ListControl } from './controls/list-control.tsx';
import { SingleControl } from './controls/single-control.tsx';
import type { ValueProblem } from './model/check-value.ts';
import { groupsOf, type ParameterDefinition, type Value, type ValueRules } from './model/definition.ts';
import { isList, isSame, submittedText, valueIn, type Values } from './model/values.ts';
import './parameter-form.css';

export interface ParameterFormProps {
  readonly definitions: readonly ParameterDefinition[];
  readonly values: Values;
  /** Returns the problems to show at a value. */
  readonly problems: (definition: ParameterDefinition) => readonly ValueProblem[];
  readonly roots: readonly string[];
  /** Null removes the entered value. */
  readonly onChange: (name: string, value: Value | null) => void;
  readonly onLeave: (name: string) => void;
}

/** The fields of the parameters by group. */
export function ParameterForm(props: ParameterFormProps) {
  return groupsOf(props.definitions).map((group) => (
    <fieldset key={group.label} className="parameter-group">
      <legend className={group.label === '' ? 'visually-hidden' : undefined}>
        {group.label === '' ? 'Parameters' : group.label}
      </legend>
      <div className="parameter-group__fields">
        {group.definitions.map((definition) => (
          <Parameter key={definition.name} {...props} definition={definition} />
        ))}
      </div>
    </fieldset>
  ));
}

function Parameter({
  definition,
  values,
  problems,
  roots,
  onChange,
  onLeave,
}: ParameterFormProps & { definition: ParameterDefinition }) {
  const { name, rules, control } = definition;
  const value = valueIn(definition, values);
  const isChanged = definition.default !== null && !isSame(rules, value, definition.default);
  const given = {
    definition,
    value,
    problems: problems(definition),
    roots: rules.type === 'PATH' || rules.type === 'LIST[PATH]' ? roots : [],
    onChange: (next: Value | null) => onChange(name, next),
    onLeave: () => onLeave(name),
  };
  const isWide = isList(rules) || control === 'MULTILINE_EDIT' || rules.type === 'PATH';
  return (
    <div
      className={classNames('parameter', isWide && 'parameter--wide', isShort(rules) && 'parameter--short')}
      title={name}
    >
      <div className="parameter__control">
        {isList(rules) ? <ListControl {...given} /> : <SingleControl {...given} />}
      </div>
      {isChanged && (
        <span className="parameter__reset">
          <IconButton
            label={`Reset to default: ${definition.label}`}
            icon={<RotateCcw aria-hidden="true" />}
            size="small"
            title={`Reset to default: ${shortDefault(definition)}`}
            onPress={() => onChange(name, null)}
          />
        </span>
      )}
    </div>
  );
}

/** Reports whether the rows of a list can be short. */
const isShort = ({ type }: ValueRules): boolean =>
  type === 'LIST[INT]' || type === 'LIST[FLOAT]' || type === 'LIST[BOOL]';

function shortDefault({ rules, default: value }: ParameterDefinition): string {
  const text = value === null ? '' : submittedText(rules, value);
  return text === '' ? '(empty)' : text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
