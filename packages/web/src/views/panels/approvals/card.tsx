/** One waiting call: exactly what would run, why it asks, and buttons that can't be pressed by accident. */
import { useEffect, useState } from "preact/hooks";
import { t } from "../../../i18n/panels-safety.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { Outcome, useAct } from "../kit/act.tsx";
import { api } from "../kit/api.ts";
import { duration } from "../kit/format.ts";
import { ChatLink } from "../kit/go.tsx";
import { useOffline } from "../kit/offline.ts";
import { after, useNow } from "../kit/time.ts";
import type { Approval } from "./types.ts";

/** Buttons do nothing for this long after they appear: a key or click meant for something else decides nothing. */
const QUIET_MS = 500;

export function PendingCard({
  approval,
  reload,
}: {
  readonly approval: Approval;
  readonly reload: () => Promise<void>;
}) {
  const acting = useAct();
  const offline = useOffline();
  const now = useNow(1000);
  const [armed, setArmed] = useState(false);
  const [reason, setReason] = useState("");
  useEffect(() => after(QUIET_MS, () => setArmed(true)), []);
  const settle = (verdict: "allow" | "deny") => (event: MouseEvent) => {
    if (!armed || event.detail > 1) return;
    void acting.run(async () => {
      try {
        await api.post(`/sessions/${approval.session}/approvals/${encodeURIComponent(approval.call)}`, {
          verdict,
          hash: approval.hash,
          ...(reason.trim() !== "" && { reason: reason.trim() }),
        });
      } finally {
        await reload();
      }
    });
  };
  const closed = !armed || acting.busy || offline;
  const left = approval.expiresAt - now;
  return (
    <li class="p-card p-approval" data-call={approval.call}>
      <div class="p-row">
        <strong class="grow">{approval.tool}</strong>
        <span class="p-faint">{left > 0 ? t("left", { time: duration(left) }) : t("expired")}</span>
        <ChatLink session={approval.session}>{t("toChat")}</ChatLink>
      </div>
      <pre class="p-code">{approval.display}</pre>
      <dl class="p-facts">
        <dt>{t("asks")}</dt>
        <dd>{approval.why}</dd>
        <dt>{t("rule")}</dt>
        <dd>
          <code>{approval.rule}</code>
        </dd>
      </dl>
      <TextField label={t("reason")} value={reason} onValue={setReason} maxLength={1000} />
      <Outcome of={acting} />
      <div class="p-row">
        <Button kind="danger" disabled={closed} onClick={settle("deny")}>
          {t("deny")}
        </Button>
        <span class="grow" />
        <Button kind="primary" disabled={closed} onClick={settle("allow")}>
          {t("once")}
        </Button>
      </div>
    </li>
  );
}
