/** The arguments of a call, as each tool's are best read. */
import { type CallView, isCut, isRecord, type Json } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { bytes } from "../../texts/format.ts";
import { t } from "../../texts/work.ts";
import { Code } from "../../markdown/code.tsx";
import { VisibleText } from "../../markdown/visible-text.tsx";
import { Diff } from "./diff-view.tsx";

export function CallInput({ call }: { call: CallView }): VNode | null {
  const { input } = call;
  if (isCut(input))
    return (
      <pre class="terminal">
        <VisibleText text={`${input.head}\n… ${bytes(input.bytes)} …\n${input.tail}`} />
      </pre>
    );
  if (!isRecord(input)) return input === null ? null : <Value value={input} />;
  const text = (name: string): string | undefined => {
    const value = input[name];
    return typeof value === "string" ? value : undefined;
  };
  if (call.name === "exec" && text("command") !== undefined)
    return <Code code={text("command") ?? ""} language="bash" open={false} />;
  const path = text("path") ?? "";
  if (call.name === "edit_file" && text("old_text") !== undefined)
    return <Diff path={path} before={text("old_text") ?? ""} after={text("new_text") ?? ""} />;
  if (call.name === "write_file" && text("content") !== undefined)
    return <Diff path={path} before="" after={text("content") ?? ""} />;
  const entries = Object.entries(input);
  if (entries.length === 0) return null;
  return (
    <dl class="args" aria-label={t("call.input")}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LONG = 400;

function Value({ value }: { value: Json }): VNode {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (text.length <= LONG)
    return (
      <span class="arg-value">
        <VisibleText text={text} />
      </span>
    );
  return (
    <details>
      <summary class="muted">{text.slice(0, 80)}…</summary>
      <span class="arg-value">
        <VisibleText text={text} />
      </span>
    </details>
  );
}
