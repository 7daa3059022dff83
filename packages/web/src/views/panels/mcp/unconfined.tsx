/** A program that runs outside of the sandbox is marked so wherever it is shown, with what that means. */
import type { McpServerView } from "../../../../../app/src/gateway/schema/mcp.ts";
import { t } from "../../../i18n/panels-mcp.ts";
import { Icon } from "../../../ui/icon.tsx";

function isUnconfined({ transport, sandbox }: McpServerView): boolean {
  return transport === "stdio" && sandbox === false;
}

export function UnconfinedBadge({ server }: { readonly server: McpServerView }) {
  return isUnconfined(server) ? <span class="badge danger">{t("unconfined")}</span> : null;
}

export function UnconfinedNote({ server }: { readonly server: McpServerView }) {
  if (!isUnconfined(server)) return null;
  return (
    <div class="note-box danger">
      <Icon name="alert" size={18} />
      <div class="stack grow">
        <strong>{t("unconfined")}</strong>
        <span>{t("unconfinedWhy")}</span>
      </div>
    </div>
  );
}
