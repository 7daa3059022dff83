/** Check of the audit log: read to its end each time, since nothing else would notice. */
import { auditOf } from "../../host/audit-log.ts";
import type { Check } from "../../host/finding.ts";

export const checkAudit: Check = async ({ t, places }) => {
  const { broken, entries } = await auditOf(places).verify();
  if (broken === undefined) return [{ id: "audit", level: "ok", text: t("audit.whole", { count: entries }) }];
  const { n, file, line, gone, session } = broken;
  const text =
    gone !== undefined
      ? t("audit.gone", { name: gone })
      : session !== undefined
        ? t("audit.behind", { session })
        : t("doctor.audit", { seq: n, file, line });
  return [{ id: "audit", level: "problem", text, repair: "margay audit renew" }];
};
