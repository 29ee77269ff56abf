;; The first pass of an exact search where there is relaxed SIMD: which rows of 8-bit codes may matter by the query in 7 bits, and the sums of
;; those with all of its bits.
;;
;; `scripts/build-kernels.ts` makes sift-codes-module.ts of this; a test assembles it again and compares. The test's reference says the same in
;; TypeScript, and `CodeMemory.scan` says what it means. Where this cannot run, scan-codes.wat can.
;;
;; Relaxed SIMD's product of bytes is one instruction on x86, where the plain one of 16 bits wants its codes widened first. It is relaxed in what
;; a byte of the second factor means whose top bit is set, and in what happens when two products leave 16 bits. Here that byte is a digit from 1
;; to 127, and two products are 2 * 128 * 127 = 32512 at most: so it gives the same on every machine.
;;
;; Rows are woven by fours: 16 codes of the first, 16 of the second, of the third, of the fourth, the next 16 of the first. So four rows share
;; the loads of the query, and are one stretch of memory.
(module
  (import "codes" "memory" (memory 1))

  ;; Weaves $rows rows, a multiple of four. $biases gets 64 times the sum of each one's codes, which is what digits are off by. $scratch has
  ;; room for four rows; $stride is a multiple of 32.
  (func (export "weave")
    (param $rows i32) (param $codes i32) (param $stride i32) (param $scratch i32) (param $biases i32)
    (local $at i32) (local $end i32) (local $piece v128) (local $ones v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    i32.const 1  i16x8.splat  local.set $ones
    block $woven
      loop $group
        local.get $rows  i32.eqz  br_if $woven
        local.get $rows  i32.const 4  i32.sub  local.set $rows

        local.get $codes  local.set $at
        local.get $stride  i32.const 2  i32.shl  local.get $codes  i32.add  local.set $end
        loop $copy
          local.get $scratch  local.get $at  local.get $codes  i32.sub  i32.add  local.get $at  v128.load  v128.store
          local.get $at  i32.const 16  i32.add  local.tee $at  local.get $end  i32.lt_u  br_if $copy
        end

        v128.const i64x2 0 0  local.set $a
        v128.const i64x2 0 0  local.set $b
        v128.const i64x2 0 0  local.set $c
        v128.const i64x2 0 0  local.set $d
        local.get $scratch  local.set $at
        loop $pieces
          local.get $codes  local.get $at  v128.load  local.tee $piece  v128.store
          local.get $piece  i16x8.extadd_pairwise_i8x16_s  local.get $ones  i32x4.dot_i16x8_s  local.get $a  i32x4.add  local.set $a
          local.get $codes  local.get $at  local.get $stride  i32.const 1  i32.mul  i32.add  v128.load  local.tee $piece  v128.store offset=16
          local.get $piece  i16x8.extadd_pairwise_i8x16_s  local.get $ones  i32x4.dot_i16x8_s  local.get $b  i32x4.add  local.set $b
          local.get $codes  local.get $at  local.get $stride  i32.const 2  i32.mul  i32.add  v128.load  local.tee $piece  v128.store offset=32
          local.get $piece  i16x8.extadd_pairwise_i8x16_s  local.get $ones  i32x4.dot_i16x8_s  local.get $c  i32x4.add  local.set $c
          local.get $codes  local.get $at  local.get $stride  i32.const 3  i32.mul  i32.add  v128.load  local.tee $piece  v128.store offset=48
          local.get $piece  i16x8.extadd_pairwise_i8x16_s  local.get $ones  i32x4.dot_i16x8_s  local.get $d  i32x4.add  local.set $d
          local.get $at  i32.const 16  i32.add  local.set $at
          local.get $codes  i32.const 64  i32.add  local.tee $codes  local.get $end  i32.lt_u  br_if $pieces
        end

        local.get $biases
        local.get $a  local.get $b  i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23
        local.get $a  local.get $b  i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31  i32x4.add  local.set $a
        local.get $c  local.get $d  i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23
        local.get $c  local.get $d  i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31  i32x4.add  local.set $c
        local.get $a  local.get $c  i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
        local.get $a  local.get $c  i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31  i32x4.add
        i32.const 6  i32x4.shl  v128.store
        local.get $biases  i32.const 16  i32.add  local.set $biases
        br $group
      end
    end
  )

  ;; Which rows from $row to before $last have a flag and an upper bound that is not below $bound: their numbers are written end to end from
  ;; $found on, and the result points behind the last. The upper bounds themselves are written to $uppers in 32 bits, but for four rows without
  ;; any flag. There is a multiple of four, all woven; each pointer is to what $row has.
  (func (export "sift")
    (param $row i32) (param $last i32) (param $flags i32) (param $codes i32) (param $stride i32) (param $query i32)
    (param $biases i32) (param $slopes i32) (param $residuals i32) (param $norms i32)
    (param $scaled i32) (param $tau f64) (param $more f64) (param $margin f64) (param $shrink f64) (param $bound f64)
    (param $found i32) (param $uppers i32) (result i32)
    (local $at i32) (local $against i32) (local $end i32) (local $mask i32) (local $each i32)
    (local $digits v128) (local $ones v128) (local $upper v128) (local $norm v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    i32.const 1  i16x8.splat  local.set $ones
    local.get $query  local.get $stride  i32.add  local.set $end
    block $done
      loop $group
        local.get $row  local.get $last  i32.ge_u  br_if $done
        block $none
        local.get $flags  i32.load  i32.eqz  br_if $none

        ;; The sums of four rows' products, less 64 times their codes.
        local.get $codes  local.set $at
        local.get $query  local.set $against
        v128.const i64x2 0 0  local.set $a
        v128.const i64x2 0 0  local.set $b
        v128.const i64x2 0 0  local.set $c
        v128.const i64x2 0 0  local.set $d
        loop $pieces
          local.get $against  v128.load  local.set $digits
          local.get $at  v128.load  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $a  i32x4.add  local.set $a
          local.get $at  v128.load offset=16  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $b  i32x4.add  local.set $b
          local.get $at  v128.load offset=32  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $c  i32x4.add  local.set $c
          local.get $at  v128.load offset=48  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $d  i32x4.add  local.set $d
          local.get $against  v128.load offset=16  local.set $digits
          local.get $at  v128.load offset=64  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $a  i32x4.add  local.set $a
          local.get $at  v128.load offset=80  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $b  i32x4.add  local.set $b
          local.get $at  v128.load offset=96  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $c  i32x4.add  local.set $c
          local.get $at  v128.load offset=112  local.get $digits  i16x8.relaxed_dot_i8x16_i7x16_s  local.get $ones  i32x4.dot_i16x8_s
          local.get $d  i32x4.add  local.set $d
          local.get $at  i32.const 128  i32.add  local.set $at
          local.get $against  i32.const 32  i32.add  local.tee $against  local.get $end  i32.lt_u  br_if $pieces
        end
        local.get $a  local.get $b  i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23
        local.get $a  local.get $b  i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31  i32x4.add  local.set $a
        local.get $c  local.get $d  i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23
        local.get $c  local.get $d  i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31  i32x4.add  local.set $c
        local.get $a  local.get $c  i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
        local.get $a  local.get $c  i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31  i32x4.add
        local.get $biases  v128.load  i32x4.sub  local.set $a

        ;; upper = slope * (tau * sum) + (residual * more + margin); scaled: norm * upper - norm * norm * shrink. Two rows, and two more.
        local.get $slopes  v128.load64_zero  f64x2.promote_low_f32x4
        local.get $tau  f64x2.splat  local.get $a  f64x2.convert_low_i32x4_s  f64x2.mul  f64x2.mul
        local.get $residuals  v128.load64_zero  f64x2.promote_low_f32x4  local.get $more  f64x2.splat  f64x2.mul
        local.get $margin  f64x2.splat  f64x2.add  f64x2.add  local.set $upper
        block $plain0
          local.get $scaled  i32.eqz  br_if $plain0
          local.get $norms  v128.load  local.tee $norm  local.get $upper  f64x2.mul
          local.get $norm  local.get $norm  f64x2.mul  local.get $shrink  f64x2.splat  f64x2.mul  f64x2.sub  local.set $upper
        end
        local.get $uppers  local.get $upper  f32x4.demote_f64x2_zero  f64x2.extract_lane 0  f64.store
        local.get $upper  local.get $bound  f64x2.splat  f64x2.ge  i64x2.bitmask  local.set $mask
        local.get $slopes  v128.load64_zero offset=8  f64x2.promote_low_f32x4
        local.get $tau  f64x2.splat  local.get $a  local.get $a  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7  f64x2.convert_low_i32x4_s  f64x2.mul  f64x2.mul
        local.get $residuals  v128.load64_zero offset=8  f64x2.promote_low_f32x4  local.get $more  f64x2.splat  f64x2.mul
        local.get $margin  f64x2.splat  f64x2.add  f64x2.add  local.set $upper
        block $plain1
          local.get $scaled  i32.eqz  br_if $plain1
          local.get $norms  v128.load offset=16  local.tee $norm  local.get $upper  f64x2.mul
          local.get $norm  local.get $norm  f64x2.mul  local.get $shrink  f64x2.splat  f64x2.mul  f64x2.sub  local.set $upper
        end
        local.get $uppers  local.get $upper  f32x4.demote_f64x2_zero  f64x2.extract_lane 0  f64.store offset=8
        local.get $upper  local.get $bound  f64x2.splat  f64x2.ge  i64x2.bitmask
        i32.const 2  i32.shl  local.get $mask  i32.or  local.tee $mask  i32.eqz  br_if $none

        i32.const 0  local.set $each
        loop $lane
          block $skip
            local.get $mask  local.get $each  i32.shr_u  i32.const 1  i32.and  i32.eqz  br_if $skip
            local.get $flags  local.get $each  i32.add  i32.load8_u  i32.eqz  br_if $skip
            local.get $found  local.get $row  local.get $each  i32.add  i32.store
            local.get $found  i32.const 4  i32.add  local.set $found
          end
          local.get $each  i32.const 1  i32.add  local.tee $each  i32.const 4  i32.lt_u  br_if $lane
        end
        end
        local.get $row  i32.const 4  i32.add  local.set $row
        local.get $flags  i32.const 4  i32.add  local.set $flags
        local.get $codes  local.get $stride  i32.const 2  i32.shl  i32.add  local.set $codes
        local.get $biases  i32.const 16  i32.add  local.set $biases
        local.get $slopes  i32.const 16  i32.add  local.set $slopes
        local.get $residuals  i32.const 16  i32.add  local.set $residuals
        local.get $norms  i32.const 32  i32.add  local.set $norms
        local.get $uppers  i32.const 16  i32.add  local.set $uppers
        br $group
      end
    end
    local.get $found
  )

  ;; The sums of $count rows with the query of 16 bits. Their numbers are at $list, the sums go to $sums; no sum leaves 32 bits. The first $woven
  ;; rows are woven: of theirs, every next 16 codes are 64 bytes on, not 16.
  (func (export "sum")
    (param $list i32) (param $count i32) (param $codes i32) (param $stride i32) (param $woven i32) (param $query i32) (param $sums i32)
    (local $row i32) (local $at i32) (local $step i32) (local $against i32) (local $end i32) (local $even v128) (local $odd v128)
    local.get $query  local.get $stride  i32.const 1  i32.shl  i32.add  local.set $end
    block $summed
      loop $next
        local.get $count  i32.eqz  br_if $summed
        local.get $count  i32.const 1  i32.sub  local.set $count
        local.get $list  i32.load  local.set $row

        i32.const 16  local.set $step
        local.get $codes  local.get $row  local.get $stride  i32.mul  i32.add  local.set $at
        block $whole
          local.get $row  local.get $woven  i32.ge_u  br_if $whole
          i32.const 64  local.set $step
          local.get $codes  local.get $row  i32.const -4  i32.and  local.get $stride  i32.mul  i32.add
          local.get $row  i32.const 3  i32.and  i32.const 4  i32.shl  i32.add  local.set $at
        end

        local.get $query  local.set $against
        v128.const i64x2 0 0  local.set $even
        v128.const i64x2 0 0  local.set $odd
        loop $pieces
          local.get $at  v128.load8x8_s           local.get $against  v128.load            i32x4.dot_i16x8_s
          local.get $even  i32x4.add  local.set $even
          local.get $at  v128.load8x8_s offset=8  local.get $against  v128.load offset=16  i32x4.dot_i16x8_s
          local.get $odd  i32x4.add  local.set $odd
          local.get $at  local.get $step  i32.add  local.set $at
          local.get $at  v128.load8x8_s           local.get $against  v128.load offset=32  i32x4.dot_i16x8_s
          local.get $even  i32x4.add  local.set $even
          local.get $at  v128.load8x8_s offset=8  local.get $against  v128.load offset=48  i32x4.dot_i16x8_s
          local.get $odd  i32x4.add  local.set $odd
          local.get $at  local.get $step  i32.add  local.set $at
          local.get $against  i32.const 64  i32.add  local.tee $against
          local.get $end  i32.lt_u  br_if $pieces
        end

        local.get $even  local.get $odd  i32x4.add  local.set $even
        local.get $sums
        local.get $even  i32x4.extract_lane 0
        local.get $even  i32x4.extract_lane 1  i32.add
        local.get $even  i32x4.extract_lane 2  i32.add
        local.get $even  i32x4.extract_lane 3  i32.add
        i32.store
        local.get $list  i32.const 4  i32.add  local.set $list
        local.get $sums  i32.const 4  i32.add  local.set $sums
        br $next
      end
    end
  )
)
