/** What went wrong with Slack, in the words of the host: whether it is tried again, and what a person can do. */
import type { ChannelHost } from "@margay/core/plugin";
import { NoAnswer, Refusal } from "./api.ts";

const AUTH =
  /^(?:invalid_auth|not_authed|account_inactive|token_revoked|token_expired|user_removed_from_team|org_login_required|team_access_not_granted)$/;
/** No later attempt cures these. */
const GONE =
  /^(?:channel_not_found|not_in_channel|is_archived|user_not_found|user_disabled|user_not_visible|cannot_dm_bot|restricted_action\w*|thread_not_found|message_not_found|cant_update_message|edit_window_closed|channel_type_not_supported)$/;
/** Slack may have done it. */
const FAILED =
  /^(?:internal_error|fatal_error|service_unavailable|request_timeout|team_added_to_org|http_(?:408|5\d\d))$/;
const SLOW = /^(?:ratelimited|rate_limited)$/;
const MARKUP = /^(?:invalid_blocks\w*|msg_blocks_too_long|msg_too_long|no_text)$/;

export interface Circumstances {
  /** It had markup, and may be said without. */
  readonly hasMarkup?: boolean;
  /** A part of it left before this. */
  readonly hasLeft?: boolean;
}

/** What is no error of Slack comes back as it is. */
export function faultOf(error: unknown, host: ChannelHost, around: Circumstances = {}): unknown {
  if (error instanceof NoAnswer)
    return host.fault("again", `Slack cannot be reached: ${error.message}. It is tried again.`, {
      cause: error,
      sent: around.hasLeft === true ? "maybe" : error.sent,
    });
  return error instanceof Refusal ? refusalOf(error, host, around) : error;
}

/** Whether a chat is none of ours any more. */
export function isGone(error: unknown): error is Refusal {
  return error instanceof Refusal && GONE.test(error.code);
}

/** A fault of ours: only another token cures it. */
export function isAuth(error: unknown): error is Error {
  return error instanceof Error && "kind" in error && error.kind === "auth";
}

export function isSlow(error: unknown): error is Refusal {
  return error instanceof Refusal && SLOW.test(error.code);
}

function refusalOf(error: Refusal, host: ChannelHost, { hasMarkup = false, hasLeft = false }: Circumstances): Error {
  const { code, message, method, needed, retryAfterMs } = error;
  const no = { cause: error, sent: hasLeft ? "maybe" : "no" } as const;
  if (AUTH.test(code))
    return host.fault(
      "auth",
      `Slack does not know ${method === "apps.connections.open" ? "this app" : "this bot"}: ${message}. Install the app again and set its tokens again.`,
      no,
    );
  if (code === "missing_scope")
    return host.fault(
      "config",
      `The app may not do that at Slack: the scope ${needed ?? "of it"} is missing (${method}). Add it on the page OAuth & Permissions and install the app again.`,
      no,
    );
  if (code === "not_allowed_token_type")
    return host.fault(
      "config",
      `Slack wants another token for ${method}. Set token to the one that begins with xoxb-, and options.appToken to the one that begins with xapp-.`,
      no,
    );
  if (code === "messages_tab_disabled")
    return host.fault("config", "The app takes no private messages. Switch on Messages Tab on the page App Home.", no);
  if (GONE.test(code))
    return host.fault(
      "gone",
      `Slack does not let us write there: ${message}. The channel has to exist, and the app has to be in it: /invite it.`,
      { ...no, answered: true },
    );
  if (SLOW.test(code))
    return host.fault("slow-down", `Slack asks to wait: ${method}. It is sent after that.`, {
      ...no,
      scope: method.startsWith("chat.") ? "chat" : "channel",
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  if (FAILED.test(code))
    return host.fault("again", `Slack has an error of its own: ${message}. It is tried again.`, {
      cause: error,
      sent: "maybe",
    });
  if (hasMarkup && MARKUP.test(code))
    return host.fault("markup", `Slack does not take its markup: ${message}. It is sent without.`, {
      ...no,
      answered: true,
    });
  return host.fault("refused", `Slack refused it: ${message}. Change what is sent.`, { ...no, answered: true });
}
