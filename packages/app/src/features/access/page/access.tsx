/** Who may come in: browsers, tokens of programs, the password. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { BrowsersResponse } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "../../../web/texts/panels-safety.ts";
import { PasswordField } from "../../../web/ui/field.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { dateTime, relative } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { Tokens } from "./tokens.tsx";

export function Access() {
  return (
    <div class="stack">
      <Browsers />
      <Tokens />
      <Password />
    </div>
  );
}

function Browsers() {
  const browsers = useResource<z.infer<typeof BrowsersResponse>>("/auth/browsers");
  const acting = useAct();
  const revoke = (id: string): void =>
    void acting.run(async () => {
      await api.delete(`/auth/browsers/${encodeURIComponent(id)}`);
      await browsers.reload();
    });
  return (
    <section class="stack">
      <h3>{t("browsers")}</h3>
      <Outcome of={acting} />
      <Loaded of={browsers}>
        {({ items }) => (
          <Table
            caption={t("browsers")}
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              {
                id: "name",
                title: c("name"),
                cell: ({ userAgent, current }) => (
                  <>
                    {browserName(userAgent)} {current && <span class="badge accent">{t("thisBrowser")}</span>}
                  </>
                ),
              },
              { id: "address", title: t("address"), cell: ({ address }) => address, mono: true },
              {
                id: "seen",
                title: t("seen"),
                cell: ({ lastSeenAt }) => relative(lastSeenAt),
                sort: ({ lastSeenAt }) => lastSeenAt,
              },
              {
                id: "until",
                title: t("until"),
                cell: ({ expiresAt }) => dateTime(expiresAt),
                sort: ({ expiresAt }) => expiresAt,
              },
              {
                id: "revoke",
                title: c("actions"),
                cell: ({ id, current, userAgent }) =>
                  !current && (
                    <ConfirmButton
                      size="small"
                      kind="quiet"
                      verb={t("revoke")}
                      text={t("revokeBrowser", { name: browserName(userAgent) })}
                      go={() => revoke(id)}
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

function Password() {
  const acting = useAct();
  const [password, setPassword] = useState("");
  const set = async (): Promise<void> => {
    await api.put("/auth/password", { password });
    setPassword("");
    toast(t("passwordDone"));
  };
  return (
    <form class="stack p-narrow" onSubmit={(event) => event.preventDefault()}>
      <h3>{t("password")}</h3>
      <PasswordField
        label={t("newPassword")}
        hint={t("passwordWhy")}
        value={password}
        onValue={setPassword}
        autocomplete="new-password"
        fault={faultsOf(acting.problem).get("/password")}
      />
      <Outcome of={acting} />
      <div>
        <Act acting={acting} work={set} disabled={password.length < 12}>
          {t("passwordSet")}
        </Act>
      </div>
    </form>
  );
}

/** "Firefox on Linux" from the header that browsers send; the header itself when it says nothing known. */
function browserName(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux|CrOS)/.exec(userAgent)?.[1];
  if (browser === undefined) return userAgent.slice(0, 60);
  const names: Readonly<Record<string, string>> = { Edg: "Edge", OPR: "Opera" };
  return [names[browser] ?? browser, system === "Mac OS X" ? "macOS" : system].filter(Boolean).join(" · ");
}
