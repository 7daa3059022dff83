/** What the policy would decide about a call; nothing runs. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { PolicyCheckSchema } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { Check, Select, TextArea } from "../../../web/ui/field.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";

const SOURCES = ["web", "cli", "channel", "api", "cron", "heartbeat", "greeting", "hook"];
const VERDICTS = { allow: "verdict_allow", ask: "verdict_ask", deny: "verdict_deny" } as const;

export function TryCall() {
  const tools = useResource<{ readonly items: readonly { readonly name: string }[] }>("/tools");
  const names = tools.data?.items.map(({ name }) => name) ?? ["exec"];
  const [tool, setTool] = useState("exec");
  const [input, setInput] = useState('{"command": "git status"}');
  const [source, setSource] = useState("web");
  const [untrusted, setUntrusted] = useState(false);
  const [result, setResult] = useState<z.infer<typeof PolicyCheckSchema> | undefined>(undefined);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const acting = useAct();
  const check = async (): Promise<void> => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(input);
    } catch (error) {
      setFault(c("notJson", { reason: error instanceof Error ? error.message : String(error) }));
      return;
    }
    setFault(undefined);
    setResult(
      (await api.post<z.infer<typeof PolicyCheckSchema>>("/policy/check", { tool, input: parsed, source, untrusted }))
        .body,
    );
  };
  return (
    <div class="stack p-narrow">
      <p class="muted">{t("tryWhy")}</p>
      <Select
        label={c("tool")}
        value={tool}
        onValue={setTool}
        options={names.map((value) => ({ value, label: value }))}
      />
      <TextArea label={t("input")} value={input} onValue={setInput} fault={fault} spellcheck={false} />
      <Select
        label={t("source")}
        value={source}
        onValue={setSource}
        options={SOURCES.map((value) => ({ value, label: value }))}
      />
      <Check label={t("untrusted")} checked={untrusted} onChecked={setUntrusted} />
      <div>
        <Act acting={acting} work={check} kind="primary">
          {t("judge")}
        </Act>
      </div>
      <Outcome of={acting} />
      {result !== undefined && (
        <div class="note-box" role="status">
          <div>
            <strong>{t(VERDICTS[result.verdict])}</strong>
            <div>{result.why}</div>
            <div class="p-faint">
              {t("rule")}: {result.rule}
            </div>
          </div>
        </div>
      )}
    </div>
  );
}
