import {
  ArrowRightLeft,
  Brain,
  FileText,
  Globe,
  type LucideIcon,
  Pencil,
  Search,
  SquareTerminal,
  ToggleLeft,
  Trash2,
  Wrench,
} from 'lucide-react';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  read: FileText,
  edit: Pencil,
  delete: Trash2,
  move: ArrowRightLeft,
  search: Search,
  execute: SquareTerminal,
  think: Brain,
  fetch: Globe,
  switch_mode: ToggleLeft,
};

export function ToolIcon({ kind }: { readonly kind: string }) {
  const Icon = ICONS[kind] ?? Wrench;
  return <Icon size={15} strokeWidth={1.5} aria-hidden="true" />;
}
