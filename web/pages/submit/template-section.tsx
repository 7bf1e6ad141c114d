import { ChevronDown, ChevronRight, FileUp, Upload } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { counted } from '../../parts/number-text.ts';
import { mibText } from '../../parts/size-text.ts';
import { toasts } from '../../state/toasts.ts';
import { Button } from '../../parts/button.tsx';
import { classNames } from '../../parts/class-names.ts';
import { CodeBox } from './code-box.tsx';
import { EXAMPLES } from './examples.ts';
import type { TemplateError } from './model/field-errors.ts';
import type { TemplateOutline } from './model/read-template.ts';
import './template-section.css';

/** Limit of a request body. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const FILES = '.yaml,.yml,.json,application/json,application/yaml,text/yaml';

export interface TemplateSectionProps {
  readonly text: string;
  readonly source: string;
  readonly outline: TemplateOutline | null;
  /** Name of the job, resolved if the template was checked. */
  readonly name: string;
  readonly errors: readonly TemplateError[];
  readonly isOpen: boolean;
  readonly onText: (text: string) => void;
  /** Called with a template from a file or an example. */
  readonly onLoad: (text: string, source: string) => void;
  readonly onOpen: (isOpen: boolean) => void;
}

/** The template. It is dropped, chosen as a file, pasted, or one of the examples, and is folded once it is readable. */
export function TemplateSection(props: TemplateSectionProps) {
  const { text, outline, errors, onText, onLoad } = props;
  const [isOver, setIsOver] = useState(false);
  const isEmpty = text.trim() === '';
  const isOpen = props.isOpen || isEmpty || errors.length > 0;
  const loadFile = (file: File | undefined): void => {
    if (file !== undefined) load(file.name, () => textOf(file), onLoad);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    loadFile(event.dataTransfer.files[0]);
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
      onDrop={onDrop}
    >
      <Head {...props} isEmpty={isEmpty} isOpen={isOpen} onFile={loadFile} />
      {isEmpty && <Start onLoad={onLoad} />}
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

function Head({
  name,
  outline,
  source,
  errors,
  isEmpty,
  isOpen,
  onOpen,
  onFile,
}: TemplateSectionProps & { isEmpty: boolean; onFile: (file: File | undefined) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="template-section__head">
      <div className="template-section__about">
        <h2>{isEmpty || name === '' ? 'Template' : name}</h2>
        {!isEmpty && <Facts outline={outline} source={source} />}
      </div>
      <div className="row">
        {!isEmpty && errors.length === 0 && (
          <Button
            size="small"
            icon={isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
            onPress={() => onOpen(!isOpen)}
          >
            {isOpen ? 'Hide template' : 'Show template'}
          </Button>
        )}
        <Button size="small" icon={<FileUp aria-hidden="true" />} onPress={() => picker.current?.click()}>
          {isEmpty ? 'Choose file' : 'Choose another file'}
        </Button>
        <input
          ref={picker}
          type="file"
          accept={FILES}
          hidden
          aria-label="Template file"
          onChange={(event) => {
            onFile(event.target.files?.[0]);
            event.target.value = '';
          }}
        />
      </div>
    </div>
  );
}

/** Explains how to add a template. */
function Start({ onLoad }: Pick<TemplateSectionProps, 'onLoad'>) {
  return (
    <div className="template-section__start">
      <Upload aria-hidden="true" strokeWidth={1.5} />
      <div>
        Drop an OpenJD job template here, YAML or JSON, or paste it below.
        <div className="template-section__examples">
          Or start with an example:
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
  );
}

/** Longer descriptions are folded, in characters. */
const MAX_LENGTH = 240;

function Description({ text }: { text: string }) {
  const [isExpanded, setIsExpanded] = useState(false);
  if (text.length <= MAX_LENGTH) return <p className="template-section__description">{text}</p>;
  return (
    <p className="template-section__description">
      {isExpanded ? text : `${text.slice(0, MAX_LENGTH).replace(/\s+\S*$/, '')}…`}{' '}
      <button type="button" className="parameter__link" onClick={() => setIsExpanded(!isExpanded)}>
        {isExpanded ? 'Less' : 'More'}
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
  if (file.size > MAX_FILE_BYTES)
    throw new Error(`The file has ${mibText(Math.ceil(file.size / (1024 * 1024)))}. The limit is 16 MiB.`);
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not UTF-8 text.');
  }
}

function load(name: string, read: () => Promise<string>, onLoad: TemplateSectionProps['onLoad']): void {
  read().then(
    (text) => onLoad(text, name),
    (error: unknown) => toasts.failed(error, `Could not open ${name}`),
  );
}
