/**
 * Takes out of a page what a person who looks at it would not see: instructions to a model hide there.
 */
/// <reference lib="dom" />

/** Levels of elements that are kept; no page for people has more, and converters recurse into them. */
const MAX_DEPTH = 200;

/** What is never shown. */
const UNSEEN = [
  ...[
    "script",
    "style",
    "template",
    "noscript",
    "iframe",
    "object",
    "embed",
    "svg",
    "canvas",
    "dialog:not([open])",
  ],
  ...["title", "[hidden]", "[aria-hidden=true]", "input", "select", "textarea", "datalist"],
].join(",");

/** Declarations each of which makes an element invisible, as `property: value`. */
const HIDING: readonly (readonly [property: string, value: RegExp])[] = [
  ["display", /^none/],
  ["visibility", /^(hidden|collapse)/],
  ["content-visibility", /^hidden/],
  ["opacity", /^(0?\.0*[0-4]\d*|0+(\.0*)?|[0-4]?(\.\d+)?%)(?=$|[\s!;])/],
  ["font-size", /^(0*\.?0+|0?\.\d+|[01](\.\d+)?)(px|pt|em|rem|%)?(?=$|[\s!;])/],
  ["color", /^transparent|,\s*0?\.?0+\s*\)/],
  ["text-indent", /^-\d{3,}/],
  ["left", /^-\d{3,}/],
  ["top", /^-\d{3,}/],
  ["right", /^-\d{3,}/],
  ["bottom", /^-\d{3,}/],
  ["clip", /^rect\(\s*0/],
  ["clip-path", /^(inset\(\s*(50|100)%|circle\(\s*0|polygon\(\s*\))/],
  ["transform", /scale\(\s*0\s*[,)]|translate[xy]?\(\s*-\d{3,}/],
  ["max-height", /^0(px|em)?(?=$|[\s!;])/],
  ["max-width", /^0(px|em)?(?=$|[\s!;])/],
];

/** Removes what lies deeper than any page for people goes. */
export function flatten(document: Document): void {
  let level: Element[] = [...document.children];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) { for (const element of level) element.remove(); }
    level = depth === MAX_DEPTH ? [] : level.flatMap((element) => [...element.children]);
  }
}

/** Removes comments and all that is not shown. */
export function removeHidden(document: Document): void {
  const hiding = hidingSelectors(document);
  for (const selector of [UNSEEN, ...hiding]) {
    for (const element of select(document, selector)) element.remove();
  }
  for (const element of select(document, "[style]")) {
    if (isHiding(element.getAttribute("style") ?? "")) element.remove();
  }
  removeComments(document);
}

/** Marks what is set as it is written as code: converters know it by that. */
export function markPreformatted(document: Document): void {
  for (const element of select(document, "pre")) {
    if (element.querySelector("code")) continue;
    const code = document.createElement("code");
    code.append(...element.childNodes);
    element.append(code);
  }
}

/** Makes addresses absolute, and takes those away that are none of the web. */
export function resolveLinks(document: Document, base: string): void {
  for (const [selector, name] of [["a[href]", "href"], ["img[src]", "src"]] as const) {
    for (const element of select(document, selector)) {
      const url = URL.parse(element.getAttribute(name) ?? "", base);
      if (url && /^(https?|mailto):$/.test(url.protocol)) element.setAttribute(name, url.href);
      else element.removeAttribute(name);
    }
  }
}

/** The selectors of the page's own style sheets that hide what they select. */
function hidingSelectors(document: Document): string[] {
  return [...document.querySelectorAll("style")].flatMap(({ sheet }) =>
    [...sheet?.cssRules ?? []].flatMap(hidingIn)
  );
}

/** A rule, or those of a condition that every screen meets; others hide in some places only. */
function hidingIn(rule: CSSRule): string[] {
  if ("media" in rule && "cssRules" in rule) {
    const { media, cssRules } = rule as CSSMediaRule;
    return /^(all|screen|)$/.test(media.mediaText.trim()) ? [...cssRules].flatMap(hidingIn) : [];
  }
  if (!("selectorText" in rule)) return [];
  const { selectorText, style } = rule as CSSStyleRule;
  return isHiding(style.cssText) ? [selectorText] : [];
}

function isHiding(declarations: string): boolean {
  const pairs = declarations.toLowerCase().split(";").map((one) => one.split(":", 2))
    .map(([property = "", value = ""]) => [property.trim(), value.trim()] as const);
  const clipped = pairs.some(([property, value]) =>
    /^overflow/.test(property) && value === "hidden"
  );
  return pairs.some(([property, value]) =>
    HIDING.some(([hiding, pattern]) => hiding === property && pattern.test(value)) ||
    (clipped && /^(height|width)$/.test(property) && /^[01](px)?$/.test(value))
  );
}

function removeComments(document: Document): void {
  const walker = document.createTreeWalker(document, 128 /* comments */);
  const comments: ChildNode[] = [];
  while (walker.nextNode()) comments.push(walker.currentNode as ChildNode);
  for (const comment of comments) comment.remove();
}

/** Nothing for a selector that cannot be understood. */
function select(document: Document, selector: string): Element[] {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return [];
  }
}
