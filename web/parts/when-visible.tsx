import { useEffect, useRef, useState, type ReactNode } from 'react';

/** Distance from the visible part of the page at which the content is rendered. */
const MARGIN = '200px';

/** Renders its content, which may send requests, once it is near the visible part of the page. Until then it is empty. */
export function WhenVisible({
  height,
  children,
}: {
  /** Height of the empty space in pixels, so that the page does not jump. */
  height: number;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null || isNear) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear]);
  return <>{isNear ? children : <div ref={box} style={{ minHeight: height }} />}</>;
}
