import {
  Activity,
  BellRing,
  FolderTree,
  Gauge,
  LayoutDashboard,
  Library,
  ListChecks,
  MapPin,
  Package,
  Plus,
  Rows3,
  ScrollText,
  Server,
  Users,
  Warehouse,
  type LucideIcon,
} from 'lucide-react';
import type { Permission } from '../state/permissions.ts';

/** Entry of the navigation and of the command palette. Its shortcut is `g` followed by `key`. */
export interface NavItem {
  readonly href: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly needs: Permission;
  readonly key: string;
}

export interface NavGroup {
  readonly label: string;
  readonly items: readonly NavItem[];
}

/** Groups of the navigation, in display order. */
export const NAV_ITEMS: readonly NavGroup[] = [
  {
    label: 'Work',
    items: [
      { href: '/', label: 'Overview', icon: LayoutDashboard, needs: 'jobs.read', key: 'o' },
      { href: '/jobs', label: 'Jobs', icon: ListChecks, needs: 'jobs.read', key: 'j' },
      { href: '/workers', label: 'Workers', icon: Server, needs: 'workers.read', key: 'w' },
      { href: '/submit', label: 'Submit a job', icon: Plus, needs: 'jobs.write', key: 's' },
      { href: '/products', label: 'Products', icon: Package, needs: 'products.read', key: 'r' },
      { href: '/presets', label: 'Presets', icon: Library, needs: 'products.read', key: 'l' },
    ],
  },
  {
    label: 'Farm',
    items: [
      { href: '/farms', label: 'Farms', icon: Warehouse, needs: 'infra.read', key: 'f' },
      { href: '/queues', label: 'Queues', icon: Rows3, needs: 'infra.read', key: 'q' },
      { href: '/usage-pools', label: 'Usage pools', icon: Gauge, needs: 'infra.read', key: 'p' },
      {
        href: '/storage-locations',
        label: 'Storage locations',
        icon: FolderTree,
        needs: 'infra.read',
        key: 't',
      },
      { href: '/compute-locations', label: 'Compute locations', icon: MapPin, needs: 'infra.read', key: 'c' },
    ],
  },
  {
    label: 'Service',
    items: [
      { href: '/diagnostics', label: 'Diagnostics', icon: Activity, needs: 'diagnostics.read', key: 'd' },
      { href: '/webhooks', label: 'Webhooks', icon: BellRing, needs: 'jobs.write', key: 'h' },
      { href: '/users', label: 'Users', icon: Users, needs: 'users.read', key: 'u' },
      { href: '/audit', label: 'Audit log', icon: ScrollText, needs: 'users.read', key: 'a' },
    ],
  },
];
