/** An invitation: its code and links, shown once to whoever made it. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { InvitationSchema } from "../../people/schema.ts";
import { Button } from "../../../web/ui/button.tsx";
import { c } from "../../../web/texts/panels-common.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { QrCode } from "./qr-code.tsx";
import { t } from "./texts.ts";

type Made = z.infer<typeof InvitationSchema>;

/** @param path Of the person. */
export function Invitation({ path }: { readonly path: string }) {
  const acting = useAct();
  const [made, setMade] = useState<Made | undefined>(undefined);
  const make = async (): Promise<void> => setMade((await api.post<Made>(`${path}/invitation`, {})).body);
  return (
    <section class="stack" aria-label={t("invitation")}>
      <Outcome of={acting} />
      {made !== undefined && (
        <div role="status" class="stack">
          <p>{t("inviteWhy", { when: dateTime(made.expiresAt) })}</p>
          <p class="p-mono p-title">{made.code}</p>
          {made.links.map(({ channel, url, size, path: modules }) => (
            <div key={channel} class="stack">
              <QrCode size={size} path={modules} label={t("inviteQr", { channel })} />
              <a href={url} target="_blank" rel="noopener noreferrer">
                {url}
              </a>
            </div>
          ))}
        </div>
      )}
      <div class="p-row">
        <Act acting={acting} work={make} size="small">
          {t(made === undefined ? "invite" : "inviteAgain")}
        </Act>
        {made !== undefined && (
          <Button size="small" onClick={() => setMade(undefined)}>
            {c("close")}
          </Button>
        )}
      </div>
    </section>
  );
}
