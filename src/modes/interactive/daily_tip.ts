/**
 * The tip of the day: at the start of a session that begins anew, and only if nothing more important is on the screen.
 */
import type { App } from "../../app/app.ts";
import type { Options } from "../../app/options.ts";
import type { EventSink } from "../../core/event.ts";
import { formatLocalDay } from "../../lib/text.ts";

/** Today's tip, which is then shown; undefined if there is none today, or none is wanted. */
export async function findTip(
  { prompt, resume, continue: goesOn, session }: Options,
  { settings, paths }: App,
): Promise<string | undefined> {
  const isNew = prompt === "" && resume === undefined && !goesOn && session;
  if (!settings.values.tips || !isNew) return undefined;
  const [{ takeTip }, { TIPS }] = await Promise.all([
    import("../../store/tip_of_the_day.ts"),
    import("../../help/tips.ts"),
  ]);
  const index = await takeTip(paths.tips, { day: formatLocalDay(new Date()), count: TIPS.length });
  const tip = index === undefined ? undefined : TIPS[index];
  return tip && `Tip: ${tip.replaceAll("`", "")} (/config tips off: no more tips)`;
}

/** Sees whether anything but information goes to a sink. */
export function watchWarnings(
  sink: EventSink,
): { readonly sink: EventSink; readonly seen: boolean } {
  let seen = false;
  return {
    sink(event) {
      seen ||= event.type === "notice" && event.level !== "info";
      sink(event);
    },
    get seen() {
      return seen;
    },
  };
}
