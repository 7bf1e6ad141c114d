import { ChevronDown, ChevronRight, FileUp, Upload } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { counted } from '../../parts/number-text.ts';
import { toasts } from '../../state/toasts.ts';
import { Button } from '../../parts/button.tsx';
import { classNames } from '../../parts/class-names.ts';
import { CodeBox } from './code-box.tsx';
import { EXAMPLES } from './examples.ts';
import type { TemplateError } from './model/field-errors.ts';
import type { TemplateOutline } from './model/read-template.ts';
import './template-section.css';

/** A body may have 16 MiB. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const FILES = '.yaml,.yml,.json,application/json,application/yaml,text/yaml';

export interface TemplateSectionProps {
  readonly text: string;
  readonly source: string;
  readonly outline: TemplateOutline | null;
  /** Of the job: as the template writes it, or as it comes out. */
  readonly name: string;
  readonly errors: readonly TemplateError[];
  readonly isOpen: boolean;
  readonly onText: (text: string) => void;
  /** Another template altogether, from a file or an example. */
  readonly onLoad: (text: string, source: string) => void;
  readonly onOpen: (isOpen: boolean) => void;
}

/** The template: dropped, picked, pasted or an example; folded away once it is read. */
export function TemplateSection(props: TemplateSectionProps) {
  const { text, outline, errors, onText, onLoad, onOpen } = props;
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const isEmpty = text.trim() === '';
  const isOpen = props.isOpen || isEmpty || errors.length > 0;
  const take = (file: File | undefined): void => {
    if (file !== undefined) load(file.name, () => textOf(file), onLoad);
  };
  const dropped = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <section
      className={classNames('card', 'template-section', isOver && 'template-section--over')}
      aria-label="Template"
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={dropped}
    >
      <div className="template-section__head">
        <div className="template-section__about">
          <h2>{isEmpty || props.name === '' ? 'Template' : props.name}</h2>
          {!isEmpty && <Facts outline={outline} source={props.source} />}
        </div>
        <div className="row">
          {!isEmpty && errors.length === 0 && (
            <Button
              size="small"
              icon={isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
              onPress={() => onOpen(!isOpen)}
            >
              {isOpen ? 'Hide the template' : 'Show the template'}
            </Button>
          )}
          <Button size="small" icon={<FileUp aria-hidden="true" />} onPress={() => picker.current?.click()}>
            {isEmpty ? 'Choose a file' : 'Another file'}
          </Button>
          <input
            ref={picker}
            type="file"
            accept={FILES}
            hidden
            aria-label="Template file"
            onChange={(event) => {
              take(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
        </div>
      </div>
      {isEmpty && (
        <div className="template-section__start">
          <Upload aria-hidden="true" strokeWidth={1.5} />
          <div>
            Drop an OpenJD job template here, YAML or JSON, or paste it below.
            <div className="template-section__examples">
              Or begin with an example:
              {EXAMPLES.map((example) => (
                <button
                  key={example.title}
                  type="button"
                  title={example.summary}
                  onClick={() => load(example.title, example.load, onLoad)}
                >
                  {example.title}
                </button>
              ))}
            </div>
          </div>
        </div>
      )}
      {!isEmpty && outline !== null && outline.description !== '' && (
        <Description key={outline.description} text={outline.description} />
      )}
      {isOpen && (
        <CodeBox
          label="Template text"
          value={text}
          errors={errors}
          placeholder="specificationVersion: jobtemplate-2023-09"
          onChange={onText}
        />
      )}
    </section>
  );
}

/** Longer descriptions are folded. */
const LONG = 240;

function Description({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  if (text.length <= LONG) return <p className="template-section__description">{text}</p>;
  return (
    <p className="template-section__description">
      {isWhole ? text : `${text.slice(0, LONG).replace(/\s+\S*$/, '')}…`}{' '}
      <button type="button" className="parameter__link" onClick={() => setIsWhole(!isWhole)}>
        {isWhole ? 'Less' : 'More'}
      </button>
    </p>
  );
}

function Facts({ outline, source }: { outline: TemplateOutline | null; source: string }) {
  const facts =
    outline === null
      ? []
      : [counted(outline.stepNames.length, 'step'), counted(outline.parameterNames.length, 'parameter')];
  return <span className="muted">{[source, ...facts].filter((fact) => fact !== '').join(' · ')}</span>;
}

async function textOf(file: File): Promise<string> {
  if (file.size > FILE_BYTES_MAX) throw new Error('A template may have 16 MiB at most.');
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is no text in UTF-8.');
  }
}

function load(name: string, read: () => Promise<string>, onLoad: TemplateSectionProps['onLoad']): void {
  read().then(
    (text) => onLoad(text, name),
    (error: unknown) => toasts.failed(error, `Open ${name}`),
  );
}
