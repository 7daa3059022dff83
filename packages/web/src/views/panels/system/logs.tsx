/** The log, redacted by the gateway: level, search, follow, copy. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLine } from "../../../../../app/src/gateway/schema/system.ts";
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-system.ts";
import { copyText } from "../../../lib/clipboard.ts";
import { Button } from "../../../ui/button.tsx";
import { Check, Select } from "../../../ui/field.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { toast } from "../../../ui/toast.tsx";
import { timeOfDay } from "../kit/format.ts";
import { Empty, Loaded } from "../kit/loaded.tsx";
import { useResource } from "../kit/resource.ts";
import { useNow, useSettled } from "../kit/time.ts";

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
