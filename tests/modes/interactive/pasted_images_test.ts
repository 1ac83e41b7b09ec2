import assert from "node:assert/strict";
import { mentionImages } from "../../../src/modes/interactive/pasted_images.ts";

/** What is pasted, and what stands in the line instead; undefined leaves it as it is. */
const PASTES: readonly (readonly [pasted: string, shown: string | undefined])[] = [
  ["/home/x/shot.png", "@/home/x/shot.png "],
  ["/home/x/shot.PNG \n", "@/home/x/shot.PNG "],
  ["~/shot.webp", "@~/shot.webp "],
  ["'/home/x/my shot.png' ", "@/home/x/my\\ shot.png "],
  [`'/home/x/it'\\''s.gif'`, "@/home/x/it\\'s.gif "],
  ['"/home/x/my \\"shot\\".jpeg"', '@/home/x/my\\ \\"shot\\".jpeg '],
  ["/home/x/my\\ shot\\ \\(1\\).jpg ", "@/home/x/my\\ shot\\ (1).jpg "],
  ["/home/x/Screenshot from 10-00.png", "@/home/x/Screenshot\\ from\\ 10-00.png "],
  ["file:///home/x/my%20shot.png", "@/home/x/my\\ shot.png "],
  ["file://localhost/home/x/shot.png\n", "@/home/x/shot.png "],
  ["/a/1.png /a/2.gif", "@/a/1.png @/a/2.gif "],
  ["'/a/1 1.png' /a/2\\ 2.gif", "@/a/1\\ 1.png @/a/2\\ 2.gif "],
  ["file:///a/1.png\nfile:///a/2.png\n", "@/a/1.png @/a/2.png "],
  ["/a/my 1.png\n/a/2.png", "@/a/my\\ 1.png @/a/2.png "],
  ["shot.png", undefined],
  ["/a/notes.txt", undefined],
  ["/a/notes.txt /a/1.png", undefined],
  ["see /a/1.png", undefined],
  ["it is in /a/b, not in shot.png", undefined],
  ["/save 12 shot.png", undefined],
  ["https://example.com/shot.png", undefined],
  ["file://other.machine/shot.png", undefined],
  ["file:///a%2fb/shot.png", undefined],
  ["'/a/shot.png", undefined],
  ["/a/" + "b".repeat(20_000) + ".png", undefined],
  ["", undefined],
];

Deno.test("pasted paths of images become mentions, and nothing else does", () => {
  const shown = PASTES.map(([pasted]) => [pasted, mentionImages(pasted)]);
  assert.deepEqual(shown, PASTES);
});

Deno.test("a mention is a word of its own, and has one sign", () => {
  const behind = (before: string) => mentionImages("/a/1.png", before);
  assert.equal(behind("look at "), "@/a/1.png ");
  assert.equal(behind("look at:"), " @/a/1.png ");
  assert.equal(behind("look at @"), "/a/1.png ");
  assert.equal(behind("(see "), "@/a/1.png ");
  assert.equal(behind("("), "@/a/1.png ");
});
