/** The log, redacted by the gateway: level, search, follow, copy. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLine } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { copyText } from "../../../web/lib/clipboard.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Check, Select } from "../../../web/ui/field.tsx";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { timeOfDay } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { useNow, useSettled } from "../../../web/panel-kit/time.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
const FOLLOW_MS = 2000;

export function Logs() {
  const [level, setLevel] = useState("info");
  const [text, setText] = useState("");
  const [follow, setFollow] = useState(true);
  const q = useSettled(text.trim(), 250);
  const query = new URLSearchParams({ level, limit: "500", ...(q !== "" && { q }) });
  const logs = useResource<{ readonly items: readonly LogLine[] }>(`/system/logs?${query}`);
  const box = useRef<HTMLDivElement>(null);
  const tick = useNow(FOLLOW_MS);
  useEffect(() => {
    if (follow && !logs.loading) void logs.reload();
  }, [tick]);
  const last = logs.data?.items.at(-1)?.at;
  useEffect(() => {
    if (follow && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [last, follow]);
  const copy = async (): Promise<void> => {
    await copyText((logs.data?.items ?? []).map(lineText).join("\n"));
    toast(c("copied"));
  };
  return (
    <div class="stack">
      <div class="p-row p-bottom">
        <SearchField class="grow" label={t("searchLogs")} value={text} onValue={setText} />
        <Select
          label={t("level")}
          value={level}
          onValue={setLevel}
          options={LEVELS.map((value) => ({ value, label: t(`level_${value}`) }))}
        />
      </div>
      <div class="p-row">
        <Check label={t("follow")} checked={follow} onChecked={setFollow} />
        <span class="grow p-faint">{t("logWhy")}</span>
        <Button size="small" icon="copy" onClick={() => void copy()}>
          {t("copyLogs")}
        </Button>
      </div>
      <Loaded of={logs}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{t("noLogs")}</Empty>
          ) : (
            <div class="p-log" ref={box} role="region" tabIndex={0} aria-label={t("logs")}>
              {items.map((line) => (
                <div key={line.at} data-level={line.level}>
                  <time dateTime={line.time}>{timeOfDay(Date.parse(line.time), true)}</time>
                  <span>{line.level}</span>
                  <span>
                    {line.event} {Object.keys(line.data).length > 0 && JSON.stringify(line.data)}
                  </span>
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

function lineText({ time, level, event, data }: LogLine): string {
  return `${time} ${level} ${event} ${JSON.stringify(data)}`;
}
