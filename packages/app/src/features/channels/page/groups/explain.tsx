/** What becomes of somebody's words in a group, by the rules that decide it. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Markdown } from "../../../../web/markdown/markdown.tsx";
import { Check, TextField } from "../../../../web/ui/field.tsx";
import { Act, Outcome, useAct } from "../../../../web/panel-kit/act.tsx";
import { api } from "../../../../web/panel-kit/api.ts";
import type { Explanation } from "../types.ts";

export function Explain({ channel, chat }: { readonly channel: string; readonly chat: string }) {
  const acting = useAct();
  const [sender, setSender] = useState("");
  const [isNamed, setNamed] = useState(true);
  const [text, setText] = useState("");
  const ask = async (): Promise<void> => {
    const query = new URLSearchParams({ channel, sender: sender.trim(), group: chat, addressed: String(isNamed) });
    const [who = "", ...becomes] = (await api.get<Explanation>(`/people/explain?${query.toString()}`)).body.texts;
    setText([...becomes, who].join("\n\n"));
  };
  const change = (work: () => void): void => {
    setText(""); // of another question
    work();
  };
  return (
    <form
      class="stack p-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (sender.trim() !== "") void acting.run(ask);
      }}
    >
      <TextField
        label={t("sender")}
        hint={t("senderWhy")}
        value={sender}
        onValue={(value) => change(() => setSender(value))}
        spellcheck={false}
      />
      <Check label={t("isNamed")} checked={isNamed} onChecked={(on) => change(() => setNamed(on))} />
      <div class="p-row">
        <Act acting={acting} work={ask} disabled={sender.trim() === ""} size="small">
          {t("ask")}
        </Act>
      </div>
      <Outcome of={acting} />
      <div role="status">
        <Markdown text={text} />
      </div>
    </form>
  );
}
