/** A plain text editor with line numbers; the browser's own find, undo and spell check work in it. */
import { useRef } from "preact/hooks";
import { c } from "../texts/panels-common.ts";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly readOnly?: boolean;
}

export function Editor({ label, value, onChange, readOnly = false }: Props) {
  const numbers = useRef<HTMLPreElement>(null);
  const count = value.split("\n").length;
  return (
    <div class="p-editor">
      <pre ref={numbers} aria-hidden="true">
        {Array.from({ length: count }, (_line, index) => index + 1).join("\n")}
      </pre>
      <textarea
        aria-label={label}
        aria-description={c("lines", { n: count })}
        wrap="off"
        spellcheck={false}
        readOnly={readOnly}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => {
          if (numbers.current !== null) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
