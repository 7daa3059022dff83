/** A program that runs outside of the sandbox is marked so wherever it is shown, with what that means. */
import type { McpServerView } from "../schema.ts";
import { t } from "./texts.ts";
import { Icon } from "../../../web/ui/icon.tsx";

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
