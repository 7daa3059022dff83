/** How a run went, with the reason when it did not run as planned. */
import { t } from "./texts.ts";
import { duration } from "../../../web/panel-kit/format.ts";
import type { Run } from "./types.ts";

const WORDS = {
  running: "result_running",
  ok: "result_ok",
  silent: "result_silent",
  failed: "result_failed",
  skipped: "result_skipped",
  cancelled: "result_cancelled",
} as const;
const REASONS = {
  missed: "reason_missed",
  overlap: "reason_overlap",
  limit: "reason_limit",
  timeout: "reason_timeout",
} as const;
const TONES = {
  running: "accent",
  ok: "ok",
  silent: "",
  failed: "danger",
  skipped: "warn",
  cancelled: "warn",
} as const;

export function RunState({ run }: { readonly run: Run }) {
  const reason = run.reason === undefined ? undefined : t(REASONS[run.reason]);
  return (
    <span>
      <span class={`badge ${TONES[run.result]}`}>{t(WORDS[run.result])}</span>
      {reason !== undefined && <span class="p-faint"> {reason}</span>}
      {run.late !== undefined && <span class="p-faint"> {t("late", { time: duration(run.late) })}</span>}
      {run.manual && <span class="p-faint"> {t("manual")}</span>}
    </span>
  );
}
