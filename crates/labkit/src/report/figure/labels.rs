//! Names beside points: each as near to its point as there is room, on no other name and if possible on no mark.

/// A name that asks for a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// Its point.
    pub(super) at: (f64, f64),
    /// The width of its text.
    pub(super) width: f64,
}

/// The plot that names must not leave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Where a name is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// The left end of its base line.
    pub(super) at: (f64, f64),
    /// A line from the point to the name, if it is not beside it.
    pub(super) leader: Option<String>,
}

/// A place for each name; `None` where there is no room. The first names choose first.
pub(super) fn places(asked: &[Asked], marks: &[(f64, f64)], room: Room, size: f64) -> Vec<Option<Place>> {
    let mut taken: Vec<Area> = Vec::new();
    let marks: Vec<Area> = marks.iter().map(|&(x, y)| Area::around(x, y, MARK)).collect();
    let mut place = |one: &Asked| {
        let all = candidates(one, size);
        let is_free = |it: &&Candidate| it.area.is_in(room) && !it.area.meets_any(&taken);
        let best = all.iter().filter(is_free).min_by(|one, other| {
            let cost = |it: &Candidate| it.distance + it.area.met(&marks) as f64 * ON_A_MARK;
            cost(one).total_cmp(&cost(other))
        })?;
        taken.push(best.area);
        Some(best.place(one, size))
    };
    asked.iter().map(&mut place).collect()
}

/// A name at a distance from its point.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    area: Area,
    distance: f64,
}

/// Beside the point, above and below it, and farther away on both sides.
fn candidates(asked: &Asked, size: f64) -> Vec<Candidate> {
    let ((x, y), width) = (asked.at, asked.width);
    let height = 1.15 * size;
    let of = |left: f64, middle: f64, distance: f64| {
        let area =
            Area { left, right: left + width, top: middle - height / 2.0, bottom: middle + height / 2.0 };
        Candidate { area, distance }
    };
    let mut all = vec![
        of(x + BESIDE, y, 0.0),
        of(x - BESIDE - width, y, 2.0),
        of(x - width / 2.0, y - 1.1 * size, 4.0),
        of(x - width / 2.0, y + 1.1 * size, 6.0),
    ];
    for row in 1..=ROWS {
        for column in [1.0, 4.0, 8.0] {
            let (across, down) = (BESIDE * column, f64::from(row) * 0.6 * size);
            let distance = 6.0 + down + across;
            for middle in [y - down, y + down] {
                all.push(of(x + across, middle, distance));
                all.push(of(x - across - width, middle, distance + 1.0));
            }
        }
    }
    all
}

impl Candidate {
    fn place(&self, asked: &Asked, size: f64) -> Place {
        let Area { left, right, top, bottom } = self.area;
        let middle = (top + bottom) / 2.0;
        let (x, y) = asked.at;
        let leader = (self.distance > 6.0).then(|| {
            let end = if left > x {
                left - 2.0
            } else if right < x {
                right + 2.0
            } else {
                x
            };
            format!("M{x:.1} {y:.1}L{end:.1} {middle:.1}")
        });
        Place { at: (left, middle + 0.35 * size), leader }
    }
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn around(x: f64, y: f64, half: f64) -> Area {
        Area { left: x - half, right: x + half, top: y - half, bottom: y + half }
    }

    fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn met(&self, others: &[Area]) -> usize {
        others.iter().filter(|other| self.meets(other)).count()
    }

    fn meets_any(&self, others: &[Area]) -> bool {
        self.met(others) > 0
    }

    fn is_in(&self, room: Room) -> bool {
        self.left >= room.left
            && self.right <= room.right
            && self.top >= room.top - 4.0
            && self.bottom <= room.bottom
    }
}

/// Half the side of a mark.
const MARK: f64 = 4.5;
/// From a point to the name beside it.
const BESIDE: f64 = 8.0;
/// How far away a name may be, in rows.
const ROWS: u32 = 16;
/// A name on a mark is as bad as one this far away.
const ON_A_MARK: f64 = 40.0;

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { left: 0.0, right: 400.0, top: 0.0, bottom: 200.0 };

    #[test]
    fn a_lonely_name_is_beside_its_point() {
        let asked = [Asked { at: (50.0, 100.0), width: 80.0 }];
        let place = places(&asked, &[(50.0, 100.0)], ROOM, 14.0)[0].clone().unwrap();
        assert_eq!((place.at.0, place.leader), (58.0, None));
        let at_the_edge = [Asked { at: (390.0, 100.0), width: 80.0 }];
        let place = places(&at_the_edge, &[(390.0, 100.0)], ROOM, 14.0)[0].clone().unwrap();
        assert_eq!(place.at.0, 302.0);
    }

    #[test]
    fn names_of_near_points_do_not_overlap_and_stay_inside() {
        let points: Vec<(f64, f64)> = (0..9).map(|at| (200.0 + f64::from(at), 100.0)).collect();
        let asked: Vec<Asked> = points.iter().map(|&at| Asked { at, width: 120.0 }).collect();
        let found: Vec<Place> = places(&asked, &points, ROOM, 14.0).into_iter().flatten().collect();
        assert_eq!(found.len(), 9);
        for (at, one) in found.iter().enumerate() {
            assert!(one.at.0 >= 0.0 && one.at.0 + 120.0 <= 400.0, "{one:?}");
            for other in &found[at + 1..] {
                let apart = (one.at.1 - other.at.1).abs() >= 14.0 || (one.at.0 - other.at.0).abs() >= 120.0;
                assert!(apart, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn without_room_there_is_no_name() {
        let asked = [Asked { at: (50.0, 100.0), width: 500.0 }];
        assert_eq!(places(&asked, &[], ROOM, 14.0), [None]);
    }
}
