/** MEMORY.md as a list of facts: where each came from, and changing or dropping one line. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { Fact, Facts, FileText } from "./types.ts";

interface Props {
  readonly file: FileText;
  readonly reload: () => Promise<void>;
}

const ORIGINS = { agent: "by_agent", consolidation: "by_consolidation", person: "by_person" } as const;

export function FactList({ file, reload }: Props) {
  const facts = useResource<Facts>("/memory/facts", "system");
  const [editing, setEditing] = useState<{ readonly line: number; readonly text: string }>();
  const acting = useAct();
  /** @param text Undefined drops the line. */
  const write = async (fact: Fact, hash: string, text: string | undefined): Promise<void> => {
    const lines = file.text.split("\n");
    const [mark = ""] = /^\s*(?:[-*]\s+)?/.exec(lines[fact.line - 1] ?? "") ?? [];
    lines.splice(fact.line - 1, 1, ...(text === undefined ? [] : [`${mark}${text.replaceAll(/\s+/g, " ").trim()}`]));
    try {
      await api.put("/memory/files/MEMORY.md", { text: lines.join("\n") }, { ifMatch: `"${hash}"` });
      setEditing(undefined);
      toast(t(text === undefined ? "factGone" : "factSaved"));
    } finally {
      await Promise.all([reload(), facts.reload()]); // after 412 too: what is there now
    }
  };
  return (
    <Loaded of={facts}>
      {({ items, hash }) => (
        <div class="stack">
          <Outcome of={acting} />
          {items.length === 0 && <Empty>{t("noFacts")}</Empty>}
          <ul class="p-cards" aria-label={t("facts")}>
            {items.map((fact) => (
              <li class="p-card" key={fact.line}>
                {editing?.line === fact.line ? (
                  <>
                    <TextField
                      label={t("factText")}
                      value={editing.text}
                      onValue={(text) => setEditing({ line: fact.line, text })}
                    />
                    <div class="p-row">
                      <span class="grow" />
                      <Button onClick={() => setEditing(undefined)}>{c("cancel")}</Button>
                      <Act
                        acting={acting}
                        kind="primary"
                        disabled={editing.text.trim() === "" || hash !== file.hash}
                        work={() => write(fact, hash, editing.text)}
                      >
                        {c("save")}
                      </Act>
                    </div>
                  </>
                ) : (
                  <div class="p-row">
                    <span class="grow">{fact.text}</span>
                    <Button
                      kind="quiet"
                      icon="edit"
                      label={t("editFact", { text: fact.text })}
                      onClick={() => setEditing({ line: fact.line, text: fact.text })}
                    />
                    <Act
                      acting={acting}
                      kind="quiet"
                      icon="trash"
                      label={t("dropFact", { text: fact.text })}
                      disabled={hash !== file.hash}
                      work={() => write(fact, hash, undefined)}
                    />
                  </div>
                )}
                <p class="p-facts-line">
                  {fact.section !== undefined && <span>{fact.section}</span>}
                  <OriginLine {...fact.origin} />
                  {fact.untrusted && <span class="badge warn">{t("untrustedFact")}</span>}
                </p>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  );
}

function OriginLine({ by, at, session, key, item }: Fact["origin"]) {
  return (
    <>
      <span>{t(ORIGINS[by])}</span>
      {session !== undefined && (
        <ChatLink session={session} item={item}>
          {key ?? session}
        </ChatLink>
      )}
      {at !== undefined && <span>{dateTime(at)}</span>}
    </>
  );
}
