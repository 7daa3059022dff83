/** Answers that are not delivered yet: tried again, or dropped. */
import { t } from "./texts.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime, relative } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Empty } from "../../../web/panel-kit/loaded.tsx";
import { More } from "../../../web/panel-kit/more.tsx";
import { usePages } from "../../../web/panel-kit/pages.ts";
import { useNow } from "../../../web/panel-kit/time.ts";
import type { OutboxEntry } from "./types.ts";

export function Outbox() {
  const entries = usePages<OutboxEntry>("/outbox?limit=100", "channels");
  return (
    <More of={entries} empty={<Empty>{t("noOutbox")}</Empty>}>
      {(items) => (
        <ul class="p-cards" aria-label={t("outbox")}>
          {items.map((entry) => (
            <Entry key={entry.reply} entry={entry} reload={entries.reload} />
          ))}
        </ul>
      )}
    </More>
  );
}

const TONES = { waiting: "", retrying: "warn", held: "", uncertain: "warn", failed: "danger" } as const;

function stageOf({ state, attempts }: OutboxEntry): keyof typeof TONES {
  if (state !== "pending") return state;
  return attempts === 0 ? "waiting" : "retrying";
}

function Entry({ entry, reload }: { readonly entry: OutboxEntry; readonly reload: () => Promise<void> }) {
  const acting = useAct();
  const now = useNow();
  const { reply, session, to, text, attempts, at, nextAt, error } = entry;
  const stage = stageOf(entry);
  const post = (verb: "retry" | "drop") => async (): Promise<void> => {
    await api.post(`/outbox/${encodeURIComponent(reply)}/${verb}`);
    await reload();
  };
  return (
    <li class="p-card" data-reply={reply}>
      <div class="p-row">
        <span class="p-title grow">
          <ChatLink session={session}>{`${to.channel}:${to.chat}`}</ChatLink>
        </span>
        <span class={`badge ${TONES[stage]}`}>{t(`out_${stage}`)}</span>
      </div>
      <blockquote class="p-quote p-clip">{text}</blockquote>
      <p class="p-facts-line">
        <span>{t("written", { when: dateTime(at) })}</span>
        <span>{t("tries", { n: attempts })}</span>
        {nextAt !== undefined && <span title={dateTime(nextAt)}>{t("next", { when: relative(nextAt, now) })}</span>}
      </p>
      {error !== undefined && <p class="p-error">{error}</p>}
      {stage === "held" && <p class="p-faint">{t("heldWhy")}</p>}
      {stage === "uncertain" && <p class="p-warn">{t("uncertainWhy")}</p>}
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={post("retry")} size="small">
          {t(stage === "uncertain" ? "sendAgain" : "retry")}
        </Act>
        {stage !== "failed" && (
          <Act acting={acting} work={post("drop")} size="small" kind="quiet">
            {t("drop")}
          </Act>
        )}
      </div>
    </li>
  );
}
