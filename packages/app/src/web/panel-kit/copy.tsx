/** Something to copy; where the clipboard is closed to us (plain HTTP), the text is selected instead. */
import { useRef } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import { copyText } from "../lib/clipboard.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/toast.tsx";

interface Props {
  readonly text: string;
  readonly label?: string;
}

export function Copy({ text, label }: Props) {
  const code = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    if (await copyText(text)) toast(c("copied"));
    else if (code.current !== null) getSelection()?.selectAllChildren(code.current); // Ctrl+C takes it
  };
  return (
    <span class="p-copy">
      <code ref={code} tabIndex={-1}>
        {text}
      </code>
      <Button size="small" kind="quiet" icon="copy" label={label ?? c("copy")} onClick={() => void copy()} />
    </span>
  );
}
